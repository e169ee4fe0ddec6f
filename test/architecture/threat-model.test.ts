// Every claim of .github/SECURITY.md names its tests: their files and titles exist, and none of them is skipped.
import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const page = readFileSync(`${root}.github/SECURITY.md`, 'utf8');

interface Claim {
  /** The first cell. */
  readonly what: string;
  /** `FILE: TITLE`. */
  readonly shownBy: readonly string[];
}

/** The rows of every table with the column `shown by`. */
function claimsOf(text: string): readonly Claim[] {
  const tables = [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table.trim().split('\n').map(cellsOf));
  return tables.flatMap(([head = [], , ...rows]) => {
    const column = head.indexOf('shown by');
    if (column < 0) return [];
    return rows.map((cells) => ({ what: cells[0] ?? '', shownBy: (cells[column] ?? '').split('; ') }));
  });
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

const claims = claimsOf(page);
const named = [...new Set(claims.flatMap(({ shownBy }) => shownBy))].map((text) => {
  const [, file = '', title = ''] = /^`(test\/[\w./-]+\.test\.ts)`: (.+)$/.exec(text) ?? [];
  return { text, file, title };
});

it('the page has the claims', () => {
  expect(claims.length).toBeGreaterThan(25);
});

it('names each threat once, in one row', () => {
  const threats = claims.map(({ what }) => what);
  expect(threats.filter((what, index) => threats.indexOf(what) !== index)).toEqual([]);
});

it.each(claims.map(({ what, shownBy }) => [what, shownBy] as const))('a test shows: %s', (_, shownBy) => {
  expect(shownBy.filter((text) => !/^`test\/[\w./-]+\.test\.ts`: \S/.test(text))).toEqual([]);
});

describe.each(named)('$text', ({ file, title }) => {
  it('is a test', () => {
    expect(existsSync(`${root}${file}`)).toBe(true);
    const text = readFileSync(`${root}${file}`, 'utf8');
    expect(['"', "'", '`'].some((quote) => text.includes(`${quote}${title}${quote}`))).toBe(true);
  });

  it('is not skipped', () => {
    expect(readFileSync(`${root}${file}`, 'utf8')).not.toMatch(/\b(?:test|it|describe)\.(?:skip|todo|only)\b/);
  });
});

it.each(['test/contract/cve-classes.test.ts', 'test/contract/cve-classes-network.test.ts'])(
  'every class of %s is on the page',
  (file) => {
    const classes = [...readFileSync(`${root}${file}`, 'utf8').matchAll(/^describe\('([^']+)'/gm)];
    expect(classes.length).toBeGreaterThan(2);
    const missing = classes.filter(
      ([, title]) => !page.includes(`| ${title} |`) || !page.includes(`\`${file}\`: ${title}`),
    );
    expect(missing.map(([, title]) => title)).toEqual([]);
  },
);
