// The pages of `rolealerts ui`, as markup.
import { describe, expect, test } from 'vitest';

import { matchingRows, pageAddress, parsePageQuery } from '../../../../../src/commands/page/page-query.ts';
import { fleetOf } from '../../../../../src/commands/report/fleet.ts';
import { LivePages } from '../../../../../src/commands/ui/live-pages.ts';
import { at, nowMs } from '../../../../support/builders/objects.ts';
import {
  condition,
  firingRow,
  hostileText,
  pageFleet,
  pagePolicy,
  pageTrace,
} from '../../../../support/builders/page-fleet.ts';

const event = { uid: 'u', at: at(0), type: 'Normal', reason: 'Corrected', note: 'Sent.', count: 1 } as const;
const pagesOf = (policies = pageFleet.policies as readonly ReturnType<typeof pagePolicy>[]) =>
  new LivePages({
    first: { ...pageFleet, policies, connections: policies.length === 0 ? [] : pageFleet.connections },
    place: 'all namespaces',
    clock: { now: () => nowMs },
    detailsOf: async () => ({ events: [event], trace: pageTrace }),
  });
const textAt = async (path: string, pages = pagesOf()) => (await pages.at(new URL(path, 'http://host')))?.text ?? '';

describe('the query', () => {
  test('of a link is the query that the link was made of', () => {
    const query = { search: 'pay & "x"', ready: 'False', hasIncidents: true, page: 3 } as const;
    expect(parsePageQuery(new URL(pageAddress(query), 'http://host').searchParams)).toEqual(query);
    expect(pageAddress(parsePageQuery(new URLSearchParams()))).toBe('/');
  });

  test.each(['page=0', 'page=-1', 'page=9999999', 'ready=maybe', 'incidents=all', 'other=1'])('ignores %s', (text) => {
    expect(pageAddress(parsePageQuery(new URLSearchParams(text)))).toBe('/');
  });

  test('finds rows that have every word, in any member and case', () => {
    const { policies } = fleetOf({ ...pageFleet, nowMs });
    const found = (text: string) =>
      matchingRows(policies, parsePageQuery(new URLSearchParams(text))).map(({ name }) => name);
    expect(found('q=TEAM/+scopenotfound')).toEqual(['stalled']);
    expect(found('q=nothing')).toEqual([]);
    expect(found('incidents=open')).toEqual(['firing']);
    expect(found('ready=Unknown')).toEqual(['waiting']);
  });
});

describe('the page of the fleet', () => {
  test('has 200 rows of many, links to the next ones with the same search, and searches all of them', async () => {
    const many = Array.from({ length: 450 }, (_, index) => pagePolicy({ name: `p${index}` }));
    const rowsOf = (text: string) =>
      [...text.matchAll(/<th scope="row"><a href="\/policies\/([^"]+)"/g)].map(([, name]) => name);
    const first = await textAt('/?q=team', pagesOf(many));
    expect(rowsOf(first)).toHaveLength(200);
    expect(first).toContain('450 of 450 policies match. Page 1 of 3.');
    expect(first).toContain('<a href="/?q=team&amp;page=2">Next page</a>');
    expect(rowsOf(await textAt('/?page=3', pagesOf(many)))).toHaveLength(50);
    expect(rowsOf(await textAt('/?page=99', pagesOf(many)))).toHaveLength(50);
    expect(rowsOf(await textAt('/?q=p449', pagesOf(many)))).toEqual(['team/p449']);
  });

  test('keeps the search in its fields, as text', async () => {
    const text = await textAt(`/?q=${encodeURIComponent(hostileText)}&ready=False&incidents=open`);
    expect(text).toContain('name="q" value="&quot;&gt;&lt;script&gt;');
    expect(text).toContain('<option selected>False</option>');
    expect(text).toContain('<option value="open" selected>open</option>');
  });

  test('has the number of findings in the title of its tab', async () => {
    expect(await textAt('/')).toContain('<title>(3) Role alerts of all namespaces</title>');
    expect(await textAt('/', pagesOf([]))).toContain('<title>Role alerts of all namespaces</title>');
  });

  test('links findings that it only counts to the policies that have them', async () => {
    const conditions = [condition('Ready', 'False', 'ScopeNotFound'), condition('Stalled', 'True', 'ScopeNotFound')];
    const stalled = Array.from({ length: 12 }, (_, index) => pagePolicy({ name: `p${index}`, conditions }));
    const text = await textAt('/', pagesOf(stalled));
    expect(text).toContain('2 more are not shown. <a href="/?ready=False">Show all such policies</a>');
  });

  test('leads back from a search without a match', async () => {
    expect(await textAt('/?q=nothing')).toContain('<a href="/">Show all policies</a>');
  });

  test('follows the fleet', async () => {
    const pages = pagesOf();
    expect(await textAt('/', pages)).toContain('5 incidents, 3 of them of severity High');
    pages.show({ ...pageFleet, policies: [pagePolicy({ name: 'only', alerts: [firingRow('Owners', 8, 'Low')] })] });
    expect(await textAt('/', pages)).toContain('8 incidents, 0 of them of severity High');
  });
});

describe('what the page leaves out, or may show too late', () => {
  test('is on the page, above the findings', async () => {
    const pages = pagesOf();
    pages.show({ ...pageFleet, notes: ['ClusterRoleAlertConnections are not shown.'] });
    expect(await textAt('/', pages)).toMatch(
      /<h3>Not on this page \(1\)<\/h3><ul class="findings"><li>ClusterRoleAlertConnections are not shown\.<\/li>/,
    );
  });

  test.each(['/', '/timeline', '/policies/team/stalled'])('is in the notice of %s', async (path) => {
    const pages = pagesOf();
    pages.showFailure('Since 12:00 the API server does not answer.');
    expect(await textAt(path, pages)).toContain('role="status">Since 12:00 the API server does not answer.</p>');
    pages.showFailure(undefined);
    expect(await textAt(path, pages)).toContain('role="status"></p>');
  });

  test('without policies is where to find or make some', async () => {
    expect(await textAt('/', pagesOf([]))).toContain('There are no policies here. To see other ones, use --namespace');
  });
});

describe('the page of a policy', () => {
  test('has the conditions when the API server does not show the trace and the events', async () => {
    const pages = new LivePages({
      first: pageFleet,
      place: 'all namespaces',
      clock: { now: () => nowMs },
      detailsOf: async () => ({ events: [], trace: undefined, note: 'There are no events here: refused.' }),
    });
    const text = await textAt('/policies/team/stalled', pages);
    expect(text).toContain('There are no events here: refused.');
    expect(text).toContain('<td>ScopeNotFound</td>');
  });

  test('has its conditions with the next step, its alerts and its history', async () => {
    const text = await textAt('/policies/team/stalled');
    expect(text).toContain('<h1>Policy team/stalled</h1>');
    expect(text).toMatch(
      /<td>ScopeNotFound<\/td><td>[^<]+<\/td><td>Check the spelling of spec.scope[^<]+<\/td><td><time /,
    );
    expect(text).toContain('<b>Corrected</b> Sent.');
    expect(text).not.toContain(hostileText);
    expect(await textAt('/policies/team/drifted')).toContain(
      '<th scope="row">Owners</th><td>Active</td><td>Active</td><td>InSync</td>',
    );
  });

  test('shows the way to its alerts, the link that is broken and the command that mends or explains it', async () => {
    const text = await textAt('/policies/team/stalled');
    expect(text).toContain('<li>connection team/prod <b>blocked</b> does not exist</li>');
    expect(text).toMatch(/<p>Blocked by <b>ConnectionNotFound<\/b>: .*<\/p>\n<p>Run: <code>[^<]+<\/code><\/p>/);
  });

  test.each(['/policies/team/none', '/policies/team', '/nothing', '/policies/%2e%2e/x'])(
    'is absent at %s',
    async (path) => {
      expect(await pagesOf().at(new URL(path, 'http://host'))).toBeUndefined();
    },
  );
});

describe('the page of the timeline', () => {
  const ending = pagePolicy({ name: 'ending' });
  const dismissal = { reason: 'tracked in SEC-1', maxIncidents: 9, until: at(10 * 24 * 3_600_000) };
  const alerts = [{ name: 'Owners', state: 'Inactive', dismissal } as const];
  const pages = () => pagesOf([{ ...ending, spec: { ...ending.spec, alerts } }]);

  test('has the end of a dismissal with its effect, linked to the policy', async () => {
    const text = await textAt('/timeline', pages());
    expect(text).toContain('The next 30 days');
    expect(text).toMatch(
      /dismissal ends<\/td><td><a href="\/policies\/team\/ending">policy team\/ending<\/a><\/td><td>[^<]*Owners/,
    );
  });

  test('links no change of several policies, because they have no page of their own', async () => {
    const correctionWindows = [{ kind: 'Deny', schedule: '0 8 * * *', duration: '1h', timeZone: 'UTC' } as const];
    const windowed = (name: string) => ({
      ...ending,
      metadata: { ...ending.metadata, name },
      spec: { ...ending.spec, correctionWindows },
    });
    const text = await textAt('/timeline', pagesOf([windowed('one'), windowed('two')]));
    expect(text).toContain('<td>policy team/one and 1 more</td>');
  });

  test('ends after the days of its address, and ignores any other number', async () => {
    const week = await textAt('/timeline?days=7', pages());
    expect(week).toContain('<option selected>7</option>');
    expect(week).toContain('Nothing changes by itself.');
    expect(await textAt('/timeline?days=100000', pages())).toContain('The next 30 days');
  });
});
