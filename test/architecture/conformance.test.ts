// The conformance table of the service's README names its tests correctly: every file and every test that it names is
// there, every conformance test is named, and no section of the specification is left out.
import { globSync } from 'node:fs';
import { basename } from 'node:path';

import { expect, test } from 'vitest';

import {
  findingAt,
  findingsIn,
  readText,
  root,
  skippedIn,
  tablesOf,
  type TableRow,
  type TextFile,
} from '../support/checks/findings.ts';

const page = readText('src/service/README.md');
const [, ...rows] = tablesOf(page.text).find(([head]) => head?.cells.includes('implemented in')) ?? [];

/** By the name that the table has for it; several files may have one name. */
const testFiles = Map.groupBy(globSync('test/**/*.test.ts', { cwd: root }).map(readText), ({ file }) =>
  basename(file, '.test.ts'),
);

interface NamedTest {
  readonly name: string;
  readonly title: string;
}

const testsOf = ({ cells: [, , , shownBy = ''] }: TableRow): NamedTest[] =>
  shownBy.split('; ').map((one) => {
    const [, name = one, title = ''] = /^`([^`]+)`: (.+)$/.exec(one) ?? [];
    return { name, title };
  });
const filesOf = ({ name }: NamedTest): readonly TextFile[] => testFiles.get(name) ?? [];

const sections = '1 2 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 3 4 4.1 4.2 5 6 7 8 9';

function problemsOf(row: TableRow): string[] {
  const { cells } = row;
  if (cells.length !== 4) return [`has ${cells.length} cells`];
  const sources = [...(cells[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
  const lost = sources.filter((file) => globSync(`src/service/${file}`, { cwd: root }).length !== 1);
  const absent = testsOf(row).filter((test) => !filesOf(test).some(({ text }) => text.includes(`'${test.title}'`)));
  const isFirm = (test: NamedTest) => !filesOf(test).some(({ text }) => /\.(?:skipIf|runIf)\(/.test(text));
  return [
    ...(sources.length === 0 ? ['names no file'] : []),
    ...lost.map((file) => `no such file: src/service/${file}`),
    ...absent.map(({ name, title }) => `no such test: ${name}: ${title}`),
    ...(testsOf(row).some(isFirm) ? [] : ['rests only on tests that may be skipped']),
  ];
}

test('every row has four cells, with files and tests that are there', () => {
  expect(rows.flatMap((row) => problemsOf(row).map((problem) => findingAt(page, row.index, problem)))).toEqual([]);
});

test('every section has a row, in order', () => {
  expect([...new Set(rows.map(({ cells: [section] }) => section))].join(' ')).toBe(`intro ${sections}`);
});

test('no test of a row is skipped', () => {
  const files = new Set(rows.flatMap(testsOf).flatMap(filesOf));
  expect([...files].flatMap(skippedIn)).toEqual([]);
});

test('the table names every conformance test', () => {
  const named = new Set(rows.flatMap(testsOf).map(({ title }) => title));
  const tests = readText('test/contract/service-conformance.test.ts');
  const titles = /'([1-9](?:\.\d)? [^'/]*)'/g;
  expect(tests.text.match(titles)?.length).toBeGreaterThan(80);
  expect(findingsIn(tests, titles, ([, title = '']) => (named.has(title) ? undefined : `no row: ${title}`))).toEqual(
    [],
  );
});
