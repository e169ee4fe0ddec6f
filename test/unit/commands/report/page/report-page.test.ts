// The page of `rolealerts report`, as markup.
import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { reportPage } from '../../../../../src/commands/page/report-page.ts';
import { at, nowMs } from '../../../../support/builders/objects.ts';
import { hostileText, pageFleet, pagePolicy } from '../../../../support/builders/page-fleet.ts';

const noEvents = { place: 'all namespaces', events: [] };
const page = reportPage({ ...pageFleet, ...noEvents });

test('the report loads nothing, runs nothing, and allows exactly its own style', () => {
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(
    `content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;"`,
  );
  expect(page).not.toMatch(/<script|<iframe|<img|\sstyle=|\son[a-z]+=|url\(|https?:/i);
});

test('text of objects stays text', () => {
  expect(page).not.toContain(hostileText);
  expect(page).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;');
});

test('every id is used once, and every reference has its target', () => {
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const references = [...page.matchAll(/(?:href="#|aria-labelledby=")([^"]+)"/g)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  expect(references.filter((name) => !ids.includes(name))).toEqual([]);
});

test('a policy with a finding links to its history', () => {
  const [, index] = /<a href="#policy-(\d)">policy team\/stalled<\/a> <b>ScopeNotFound<\/b>/.exec(page) ?? [];
  expect(page).toContain(`<h3 id="policy-${index}-heading">team/stalled</h3>`);
});

test('each chart has a title, a description and a table with the same numbers', () => {
  const charts = [...page.matchAll(/<svg [\s\S]*?<\/svg>/g)].map(([svg]) => svg);
  expect(charts).toHaveLength(3);
  for (const chart of charts)
    expect(chart).toMatch(/role="img".*\n<title [^>]+>[^<]+<\/title>\s*<desc [^>]+>[^<]+<\/desc>/);
  expect(page).toContain(
    '<tr><th scope="row">subscriptions/firing</th><td class="number">3</td><td class="number">0</td><td class="number">2</td>',
  );
  expect(page).toContain('<tr><th scope="row">User</th><td class="number">1</td><td class="number">0</td></tr>');
});

test('the calendar marks the day on which a dismissal ends, and today', () => {
  const day = at(3 * 24 * 3_600_000).slice(0, 10);
  expect(page).toMatch(new RegExp(`<title>${day}: 1</title><rect class="day busy"`));
  expect(page).toMatch(new RegExp(`<title>${at(0).slice(0, 10)}: 0</title><rect class="day today"`));
});

test('an empty fleet says so in every section', () => {
  const empty = reportPage({ policies: [], connections: [], nowMs, ...noEvents });
  for (const sentence of [
    'There are no policies here. To see other ones, use --namespace or --all-namespaces.',
    'No active alert has incidents.',
    'No dismissal is in force.',
    'The operator found no drift.',
  ]) {
    expect(empty).toContain(sentence);
  }
});

test('what the report leaves out is on the page', () => {
  const notes = ['RoleAlertPolicy team/newer is not shown.'];
  expect(reportPage({ ...pageFleet, ...noEvents, notes })).toContain(
    '<li>RoleAlertPolicy team/newer is not shown.</li>',
  );
});

test('of more than a thousand policies, those that need attention have their history, and a sentence counts the others', () => {
  const many = Array.from({ length: 1010 }, (_, index) => pagePolicy({ name: `p${index}` }));
  const large = reportPage({ policies: [...many, ...pageFleet.policies], connections: [], nowMs, ...noEvents });
  expect(large).toContain('team/stalled</h3>');
  expect(large).toContain('14 more policies have no history here. To see it, report one namespace with --namespace.');
});
