// The pages of `rolealerts ui`, as markup.
import { describe, expect, test } from 'vitest';

import { fleetReport, sectionNames } from '../../../../src/commands/report/sections.ts';
import { LivePages } from '../../../../src/commands/ui/live-pages.ts';
import { nowMs } from '../../../support/builders/objects.ts';
import {
  firingRow,
  hostileText,
  pageFleet,
  pagePolicy,
  pageReportInput,
  pageTrace,
} from '../../../support/builders/page-fleet.ts';

const pagesOf = (policies = pageFleet.policies as readonly ReturnType<typeof pagePolicy>[]) =>
  new LivePages({
    first: { ...pageFleet, policies, connections: policies.length === 0 ? [] : pageFleet.connections },
    reportOf: (input, namespace) => fleetReport({ ...pageReportInput(input), namespace }, sectionNames),
    clock: { now: () => nowMs },
    traceOf: async () => pageTrace,
  });
const textAt = async (path: string, pages = pagesOf()) => (await pages.at(new URL(path, 'http://host'))) ?? '';
const sectionsOf = (text: string) => [...text.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);

describe('the page of the fleet', () => {
  test('has 200 rows of many, and a search finds the others', async () => {
    const many = Array.from({ length: 450 }, (_, index) => pagePolicy({ name: `p${index}` }));
    const rowsOf = (text: string) =>
      [...text.matchAll(/<td role="cell" data-column="name"><a href="\/policies\/(team\/p[^"]+)"/g)].map(
        ([, name]) => name,
      );
    const all = await textAt('/', pagesOf(many));
    expect(rowsOf(all)).toHaveLength(200);
    expect(all).toContain('<p class="quiet">250 more are not shown.</p>');
    expect(rowsOf(await textAt('/?q=p449+TEAM', pagesOf(many)))).toEqual(['team/p449']);
  });

  test('keeps the search in its field, as text, and leads back to everything', async () => {
    const text = await textAt(`/?q=${encodeURIComponent(hostileText)}`);
    expect(text).toContain('name="q" value="&quot;&gt;&lt;script&gt;');
    expect(text).toContain('<a href="/">Show everything</a>');
  });

  test('of one namespace has its policies, their connections and their totals, and keeps the choice in the form', async () => {
    const other = pagePolicy({ name: 'other' });
    const policies = [pagePolicy({ name: 'mine' }), { ...other, metadata: { ...other.metadata, namespace: 'beside' } }];
    const text = await textAt('/?namespace=beside', pagesOf(policies));
    expect(text).toContain('<option value="beside" selected>beside</option><option value="team">team</option>');
    expect(text).toContain('/policies/beside/other');
    expect(text).not.toContain('/policies/team/mine');
    expect(text).toContain('There are no connections.');
    expect(text).toContain('<a href="/">Show everything</a>');
  });

  test('of one severity has the alerts of it, and of one reason what shows it', async () => {
    const high = await textAt('/?severity=High');
    expect(high).toContain('data-column="alert">Owners');
    expect(high).not.toContain('data-column="alert">Guests');
    const stalled = await textAt('/?reason=ScopeNotFound');
    expect(stalled).toContain('/policies/team/stalled');
    expect(stalled).not.toContain('/policies/team/firing');
  });

  test('of one severity without open incidents has the choice, and says so', async () => {
    const text = await textAt('/?severity=High', pagesOf([pagePolicy({ name: 'quiet' })]));
    expect(text).toContain('<option value="High" selected>');
    expect(sectionsOf(text)).toEqual(['totals', 'incidents']);
    expect(text).toContain('No incidents are open.');
    expect(text).toContain('<a href="/">Show everything</a>');
  });

  test('of a severity and a reason has what is of either', async () => {
    const text = await textAt('/?severity=High&reason=ScopeNotFound');
    expect(sectionsOf(text)).toEqual(['totals', 'attention', 'incidents', 'policies', 'connections']);
    expect(text).toContain('/policies/team/stalled');
    expect(text).toContain('data-column="alert">Owners');
    expect(text).not.toContain('data-column="alert">Guests');
  });

  test('follows the fleet', async () => {
    const pages = pagesOf();
    expect(await textAt('/', pages)).toContain('5 incidents, 3 of severity High');
    pages.show({ ...pageFleet, policies: [pagePolicy({ name: 'only', alerts: [firingRow('Owners', 8, 'Low')] })] });
    expect(await textAt('/', pages)).toContain('<desc id="incident-chart-description">8 Low.</desc>');
  });
});

describe('what the page leaves out, or may show too late', () => {
  test('is on the page, above everything', async () => {
    const pages = pagesOf();
    pages.show({ ...pageFleet, notes: ['ClusterRoleAlertConnections are not shown.'] });
    expect(await textAt('/', pages)).toMatch(/<main id="main">\n<section id="left-out"[^]+ClusterRoleAlertConnections/);
  });

  test.each(['/', '/policies/team/stalled'])('is in the notice of %s', async (path) => {
    const pages = pagesOf();
    pages.showFailure('Since 12:00 the API server does not answer.');
    expect(await textAt(path, pages)).toContain('role="status">Since 12:00 the API server does not answer.</p>');
    pages.showFailure(undefined);
    expect(await textAt(path, pages)).toContain('role="status"></p>');
  });
});

describe('the page of a policy', () => {
  test('has its report', async () => {
    const text = await textAt('/policies/team/drifted');
    expect(text).toContain('<h1>Policy team/drifted</h1>');
    expect(text).toContain('>Drift</td><td role="cell" data-column="text">The operator activated Owners 2 times.</td>');
    expect(text).not.toContain(hostileText);
  });

  test.each(['/policies/team/none', '/policies/team', '/nothing', '/policies/%2e%2e/x'])(
    'is absent at %s',
    async (path) => {
      expect(await pagesOf().at(new URL(path, 'http://host'))).toBeUndefined();
    },
  );
});
