// The two tables of the service's README, the specification row by row and the choices, name their tests correctly: every test that they
// name is there, every conformance test is named, and no section of the specification is left out.
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
const tableWith = (column: string) =>
  tablesOf(page.text)
    .find(([head]) => head?.cells.includes(column))
    ?.slice(1) ?? [];
const rows = tableWith('statement');
const choices = tableWith('choice');

/** By the name that the table has for it; several files may have one name. */
const testFiles = Map.groupBy(globSync('test/**/*.test.ts', { cwd: root }).map(readText), ({ file }) =>
  basename(file, '.test.ts'),
);

interface NamedTest {
  readonly name: string;
  readonly title: string;
}

const testsOf = ({ cells }: TableRow): NamedTest[] =>
  (cells.at(-1) ?? '').split('; ').map((one) => {
    const [, name = one, title = ''] = /^`([^`]+)`: (.+)$/.exec(one) ?? [];
    return { name, title };
  });
const filesOf = ({ name }: NamedTest): readonly TextFile[] => testFiles.get(name) ?? [];

const sectionsOf = (table: readonly TableRow[]) => [...new Set(table.map(({ cells: [section = ''] }) => section))];
const sections = '1 2 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 3 4 4.1 4.2 5 6 7 8 9';

function problemsOf(row: TableRow): string[] {
  const absent = testsOf(row).filter((test) => !filesOf(test).some(({ text }) => text.includes(`'${test.title}'`)));
  const isFirm = (test: NamedTest) => !filesOf(test).some(({ text }) => /\.(?:skipIf|runIf)\(/.test(text));
  return [
    ...absent.map(({ name, title }) => `no such test: ${name}: ${title}`),
    ...(testsOf(row).some(isFirm) ? [] : ['rests only on tests that may be skipped']),
  ];
}

test('every row names tests that are there', () => {
  expect([rows.length, choices.length].every((length) => length > 50)).toBe(true);
  const all = [...rows, ...choices];
  expect(all.flatMap((row) => problemsOf(row).map((problem) => findingAt(page, row.index, problem)))).toEqual([]);
});

test('every section has a row, in order, as the choices are', () => {
  expect(sectionsOf(rows).join(' ')).toBe(`intro ${sections}`);
  const chosen = sectionsOf(choices);
  expect(chosen).toEqual(sections.split(' ').filter((section) => chosen.includes(section)));
});

test('no test of a row is skipped', () => {
  const files = new Set([...rows, ...choices].flatMap(testsOf).flatMap(filesOf));
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
