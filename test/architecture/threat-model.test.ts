// Every claim of .github/SECURITY.md names its tests: their files and titles exist, and none of them is skipped.
import { existsSync } from 'node:fs';

import { expect, test } from 'vitest';

import { findingAt, findingsIn, readText, root, skippedIn, tablesOf } from '../support/checks/findings.ts';

const page = readText('.github/SECURITY.md');

interface Claim {
  /** The first cell. */
  readonly what: string;
  /** `FILE: TITLE`. */
  readonly shownBy: readonly string[];
  readonly index: number;
}

/** The rows of every table with the column `shown by`. */
const claims: readonly Claim[] = tablesOf(page.text).flatMap(([head, ...rows]) => {
  const column = head?.cells.indexOf('shown by') ?? -1;
  if (column < 0) return [];
  return rows.map(({ cells, index }) => ({ what: cells[0] ?? '', shownBy: (cells[column] ?? '').split('; '), index }));
});

/** What is wrong with `FILE: TITLE`; undefined for a test that exists. */
function problemOf(shownBy: string): string | undefined {
  const [, file, title = ''] = named.exec(shownBy) ?? [];
  if (file === undefined) return `names no test: ${shownBy}`;
  if (!existsSync(new URL(file, root))) return `no such file: ${file}`;
  const { text } = readText(file);
  return quotes.some((quote) => text.includes(`${quote}${title}${quote}`)) ? undefined : `no such test: ${shownBy}`;
}

const named = /^`(test\/[\w./-]+\.test\.ts)`: (\S.*)$/;
const quotes = ['"', "'", '`'];

test('each threat has one row, whose tests exist', () => {
  expect(claims.length).toBeGreaterThan(25);
  const firstOf = new Map(claims.toReversed().map((claim) => [claim.what, claim]));
  const found = claims.flatMap((claim) => {
    const repeated = firstOf.get(claim.what) === claim ? [] : [`a second row of: ${claim.what}`];
    const problems = claim.shownBy.map(problemOf).filter((problem) => problem !== undefined);
    return [...repeated, ...problems].map((problem) => findingAt(page, claim.index, problem));
  });
  expect(found).toEqual([]);
});

test('no test of a threat is skipped', () => {
  const files = new Set(claims.flatMap(({ shownBy }) => shownBy).flatMap((each) => named.exec(each)?.[1] ?? []));
  const present = [...files].filter((file) => existsSync(new URL(file, root)));
  expect(present.flatMap((file) => skippedIn(readText(file)))).toEqual([]);
});

test('every class of errors of others is on the page', () => {
  const found = ['test/contract/cve-classes.test.ts', 'test/contract/cve-classes-network.test.ts'].flatMap((file) => {
    const tests = readText(file);
    const classes = /^describe\('([^']+)'/gm;
    expect(tests.text.match(classes)?.length, `classes in ${file}`).toBeGreaterThan(2);
    const isShown = (title: string) =>
      page.text.includes(`| ${title} |`) && page.text.includes(`\`${file}\`: ${title}`);
    return findingsIn(tests, classes, ([, title = '']) => (isShown(title) ? undefined : `not on the page: ${title}`));
  });
  expect(found).toEqual([]);
});
