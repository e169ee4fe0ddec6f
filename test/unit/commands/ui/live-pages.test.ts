// The page of `rolealerts ui`, as markup.
import { describe, expect, test } from 'vitest';

import { fleetReport, sectionNames } from '../../../../src/commands/report/sections.ts';
import { LivePages } from '../../../../src/commands/ui/live-pages.ts';
import { nowMs } from '../../../support/builders/objects.ts';
import { hostileText, pageFleet, pagePolicy, pageReportInput } from '../../../support/builders/page-fleet.ts';

const pagesOf = (policies = pageFleet.policies as readonly ReturnType<typeof pagePolicy>[]) =>
  new LivePages({
    first: { ...pageFleet, policies },
    reportOf: (input) => fleetReport(pageReportInput(input), sectionNames),
    clock: { now: () => nowMs },
  });
const textFor = (query: string, pages = pagesOf()) => pages.pageFor(new URLSearchParams(query));

describe('the page', () => {
  test('has 200 rows of many, and a search finds the others', () => {
    const many = Array.from({ length: 450 }, (_, index) => pagePolicy({ name: `p${index}` }));
    const rowsOf = (text: string) =>
      [...text.matchAll(/<td role="cell" data-column="name">(p\d+)</g)].map(([, name]) => name);
    const all = textFor('', pagesOf(many));
    expect(rowsOf(all)).toHaveLength(200);
    expect(all).toContain('<p class="quiet">250 more are not shown.</p>');
    expect(rowsOf(textFor('q=p449+TEAM', pagesOf(many)))).toEqual(['p449']);
  });

  test('keeps the search in its field, as text, and leads back to everything', () => {
    const text = textFor(`q=${encodeURIComponent(hostileText)}`);
    expect(text).toContain('name="q" value="&quot;&gt;&lt;script&gt;');
    expect(text).toContain('<a href="./">Show everything</a>');
    expect(textFor('')).not.toContain('Show everything');
  });

  test('names above everything what it leaves out', () => {
    const pages = pagesOf();
    pages.show({ ...pageFleet, notes: ['ClusterRoleAlertConnections are not shown.'] });
    expect(textFor('', pages)).toMatch(/<main id="main">\n<section id="left-out"[^]+ClusterRoleAlertConnections/);
  });
});
