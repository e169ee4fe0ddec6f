// More whole runs than seeds.test.ts has.
import { availableParallelism } from 'node:os';

import { expect, it } from 'vitest';

import { failuresOf, runMany } from './run-many.ts';

const workers = availableParallelism();
const fixed = { from: 25, count: 276 };
/** Each story some four times. */
const directedCount = 512;

it(`${fixed.count} more seeds hurt no oracle`, async () => {
  expect(failuresOf(await runMany({ ...fixed, mode: undefined, workers }))).toEqual([]);
});

it(`${directedCount} directed seeds hurt no oracle`, async () => {
  expect(failuresOf(await runMany({ from: 0, count: directedCount, mode: 'directed', workers }))).toEqual([]);
});
