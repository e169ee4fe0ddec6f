// More whole runs than seeds.test.ts has: fixed ones that have to pass, and fresh ones, which are printed.
import { availableParallelism } from 'node:os';

import { expect, it } from 'vitest';

import { failuresOf, runMany } from './run-many.ts';

const workers = availableParallelism();
const fixed = { from: 25, count: 276 };
/** Each story some four times. */
const directedCount = 512;
const fresh = { from: 1_000_000 + Math.floor(Math.random() * 1_000_000_000), count: 30 };

it(`${fixed.count} more seeds hurt no oracle`, async () => {
  expect(failuresOf(await runMany({ ...fixed, mode: undefined, workers }))).toEqual([]);
});

it(`${directedCount} directed seeds hurt no oracle`, async () => {
  expect(failuresOf(await runMany({ from: 0, count: directedCount, mode: 'directed', workers }))).toEqual([]);
});

it(`${fresh.count} fresh seeds are tried`, async () => {
  const summary = await runMany({ ...fresh, mode: undefined, workers });
  console.log(`fresh seeds from ${fresh.from}: ${summary.failed.length} of ${summary.seeds} failed`);
  for (const line of failuresOf(summary)) console.log(line);
  // Every fourth seed brings a directed one along.
  const directed = Array.from({ length: fresh.count }, (_, index) => fresh.from + index).filter(
    (seed) => seed % 4 === 0,
  );
  expect(summary.seeds).toBe(fresh.count + directed.length);
});
