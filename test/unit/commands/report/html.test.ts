// A report as a page, in Markdown, and searched.
import { createHash } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { reportHtml } from '../../../../src/commands/report/html.ts';
import { reportMarkdown } from '../../../../src/commands/report/markdown.ts';
import { searchReport } from '../../../../src/commands/report/model.ts';
import { fleetReport, sectionNames } from '../../../../src/commands/report/sections.ts';
import { at, nowMs } from '../../../support/builders/objects.ts';
import { hostileText, pageFleet, pageReportInput } from '../../../support/builders/page-fleet.ts';

const report = fleetReport(pageReportInput(pageFleet), sectionNames);
const page = reportHtml(report, at(0));
const empty = fleetReport(pageReportInput({ policies: [], connections: [], nowMs }), sectionNames);

describe('a page', () => {
  test('loads nothing, runs nothing, and allows exactly its own style', () => {
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(
      `content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;"`,
    );
    expect(page).not.toMatch(/<script|<iframe|<img|\sstyle=|\son[a-z]+=|url\(|https?:/i);
  });

  test('has text of objects as text', () => {
    expect(page).not.toContain(hostileText);
    expect(page).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;');
  });

  test('uses every id once, and every reference has its target', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...page.matchAll(/(?:href="#|aria-labelledby=")([^"]+)"/g)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(references.filter((name) => !ids.includes(name))).toEqual([]);
  });

  test('has a chart of the policies and one of the incidents, each with a title and its numbers as text', () => {
    const charts = [...page.matchAll(/<svg [\s\S]*?<\/svg>/g)].map(([svg]) => svg);
    expect(
      charts.map((chart) => /<title [^>]+>([^<]+)<\/title><desc [^>]+>([^<]+)<\/desc>/.exec(chart)?.slice(1)),
    ).toEqual([
      ['The policies by their state', '2 ready, 1 not ready, 1 stalled.'],
      ['Open incidents by severity', '3 High, 2 Low.'],
    ]);
  });

  test('of an empty fleet says so in every section', () => {
    const text = reportHtml(empty, at(0));
    for (const sentence of [
      'No policies and no connections found.',
      'No incidents are open.',
      'No dismissal is in force.',
      'No dismissal or suspension ends until ',
      'There are no policies.',
      'There are no connections.',
    ]) {
      expect(text).toContain(sentence);
    }
    expect(text).not.toContain('<svg');
  });
});

test('dismissals come by their end, those without one last, each with what else ends it', () => {
  const section = report.sections.find(({ id }) => id === 'dismissals');
  expect(section?.rows.map(({ cells }) => [cells[0], cells[4], cells[5]])).toEqual([
    ['Guests', '3d', ''],
    ['Owners', '', 'an incident beyond the 2 that it names'],
  ]);
});

test('Markdown has no text of an object as markup', () => {
  const text = reportMarkdown(report);
  expect(text).toContain('## Open incidents\n\n| severity | age | incidents | alert | scope | policies |\n| --- |');
  expect(text).toContain('alert\\(1\\)');
  expect(text).not.toContain('<script>');
});

describe('a search', () => {
  const found = (text: string) =>
    searchReport(report, text).sections.flatMap(({ id, rows }) =>
      rows.map(({ cells }) => [id, cells[id === 'attention' ? 2 : 1]]),
    );

  test('finds rows that have every word, in any cell and case, and leaves the totals', () => {
    const totals = report.sections[0]?.rows.map(({ cells }) => ['totals', cells[1]]) ?? [];
    expect(found('TEAM  scopenotfound')).toEqual([
      ...totals,
      ['attention', 'policy team/stalled'],
      ['policies', 'stalled'],
    ]);
    expect(found('nothing at all')).toEqual(totals);
  });

  test('says that no row matches instead of that there is nothing', () => {
    const [, attention] = searchReport(report, 'nothing at all').sections;
    expect(attention?.nothing).toBe('No row matches.');
    expect(searchReport(report, ' ')).toEqual(report);
  });
});
