// The threat model has a row for each threat, and one for each class of errors of others, whose tests have its name.
import { expect, test } from 'vitest';

import { findingsIn, readText, skippedIn, tablesOf } from '../support/checks/findings.ts';

const page = readText('.github/SECURITY.md');

test('each threat has one row, with what stops it and what is left', () => {
  const [, ...rows] = tablesOf(page.text).find(([head]) => head?.cells.includes('what stops it')) ?? [];
  expect(rows.length).toBeGreaterThan(25);
  const threats = rows.map(({ cells: [threat = ''] }) => threat);
  expect(threats.filter((threat, index) => threats.indexOf(threat) !== index)).toEqual([]);
  expect(rows.filter(({ cells }) => cells.length !== 3 || cells.includes(''))).toEqual([]);
});

test('every class of errors of others is on the page, and none of its tests is skipped', () => {
  const found = ['test/contract/cve-classes.test.ts', 'test/contract/cve-classes-network.test.ts'].flatMap((file) => {
    const tests = readText(file);
    const classes = /^describe\('([^']+)'/gm;
    expect(tests.text.match(classes)?.length, `classes in ${file}`).toBeGreaterThan(2);
    const isShown = (title: string) => page.text.includes(`| ${title} |`);
    const missing = findingsIn(tests, classes, ([, title = '']) =>
      isShown(title) ? undefined : `not on the page: ${title}`,
    );
    return [...missing, ...skippedIn(tests)];
  });
  expect(found).toEqual([]);
});
