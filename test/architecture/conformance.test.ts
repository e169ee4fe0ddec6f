// The conformance table of the service's README names its tests correctly: every file and every test that it names is
// there, every conformance test is named, and no section of the specification is left out.
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const readme = readFileSync(`${root}src/service/README.md`, 'utf8');
const [, table = ''] =
  /\n## The specification, row by row\n[^]*?\n\|---\|---\|---\|---\|\n((?:\|.*\n)+)/.exec(readme) ?? [];
const rows = table
  .trim()
  .split('\n')
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

/** By the name that the table has for it; several files may have one name. */
const testFiles = new Map<string, string>();
for (const file of globSync('test/**/*.test.ts', { cwd: root })) {
  const name = basename(file, '.test.ts');
  testFiles.set(name, (testFiles.get(name) ?? '') + readFileSync(`${root}${file}`, 'utf8'));
}

const named = rows.flatMap(([, , , shownBy = '']) =>
  shownBy.split('; ').map((one) => /^`([^`]+)`: (.+)$/.exec(one)?.slice(1) ?? [one, '']),
);

test('has four cells in every row, and a row for every section', () => {
  expect(rows.filter((row) => row.length !== 4)).toEqual([]);
  const sections = [
    'intro',
    '1',
    '2',
    '2.1',
    '2.2',
    '2.3',
    '2.4',
    '2.5',
    '2.6',
    '2.7',
    '2.8',
    '3',
    '4',
    '4.1',
    '4.2',
    '5',
    '6',
    '7',
    '8',
    '9',
  ];
  expect([...new Set(rows.map(([section]) => section))]).toEqual(sections);
});

test.each(rows.map(([section, says, where = '']) => ({ section, says, where })))(
  'names files that are there: $section $says',
  ({ where }) => {
    const files = [...where.matchAll(/`([^`]+)`/g)].map(([, file]) => file);
    expect(files).not.toEqual([]);
    for (const file of files) expect(globSync(`src/service/${file}`, { cwd: root })).toHaveLength(1);
  },
);

test.each(named)('names a test that is there: %s: %s', (file = '', title = '') => {
  expect(testFiles.get(file) ?? '').toContain(`'${title}'`);
});

test('rests no row on tests that are skipped, or may be', () => {
  for (const file of new Set(named.map(([name = '']) => name))) {
    expect([file, /\b(?:test|it|describe)\.(?:skip|todo|only)\b/.exec(testFiles.get(file) ?? '')?.[0]]).toEqual([
      file,
      undefined,
    ]);
  }
  const isFirm = (one: string) => !/\.(?:skipIf|runIf)\(/.test(testFiles.get(/^`([^`]+)`/.exec(one)?.[1] ?? '') ?? '');
  expect(rows.filter(([, , , shownBy = '']) => !shownBy.split('; ').some(isFirm))).toEqual([]);
});

test('names every conformance test', () => {
  const titles = [...(testFiles.get('service-conformance') ?? '').matchAll(/'([1-9](?:\.\d)? [^'/]*)'/g)].map(
    ([, title]) => title,
  );
  expect(titles.length).toBeGreaterThan(80);
  const inTable = new Set(named.map(([, title]) => title));
  expect(titles.filter((title) => !inTable.has(title))).toEqual([]);
});
