// The sample of the edits: the share of each folder, and that the seed decides.
import { expect, test } from 'vitest';

import { editsOf } from '../../tools/mutation/edits/all.ts';
import { mutantsOf } from '../../tools/mutation/mutants.ts';
import { sampleOf } from '../../tools/mutation/sample.ts';

const fileOf = (path: string, count: number, firstId: number) => {
  const source = Array.from({ length: count }, (_, index) => `f(${index + 10} as never);\n`).join('');
  const edits = editsOf(source).filter(({ kind }) => kind === 'constant moved');
  return { path, source, edits, firstId };
};

const files = [
  fileOf('src/service/oauth/token/a.ts', 60, 0),
  fileOf('src/service/http/b.ts', 30, 1000),
  fileOf('src/service/audit/c.ts', 1, 2000),
];
const mutants = mutantsOf(files);
const sample = (size: number, seed = '1') => sampleOf(mutants, size, seed);
const countIn = (folder: string, size: number) => sample(size).filter(({ file }) => file.path.includes(folder)).length;

test('each folder has its share, and at least one edit', () => {
  const size = Math.round(mutants.length / 10);
  expect([countIn('/oauth/', size), countIn('/http/', size), countIn('/audit/', size)]).toEqual([12, 6, 1]);
});

test('the same seed draws the same edits, another seed others', () => {
  expect(sample(20)).toEqual(sample(20));
  expect(sample(20, '2')).not.toEqual(sample(20));
});

test('a larger sample contains a smaller one', () => {
  const large = sample(40);
  expect(sample(20).filter((mutant) => !large.includes(mutant))).toEqual([]);
});

test('without more edits than asked for, all of them in the order of the text', () => {
  expect(sample(mutants.length)).toEqual(mutants);
  expect(sample(Infinity)).toEqual(mutants);
});
