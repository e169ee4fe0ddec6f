// Many whole runs with faults: a fixed set that has to pass, and some fresh seeds, which are printed. A failing seed prints the command that runs it
// again.
import { availableParallelism } from 'node:os';

import { expect, it } from 'vitest';

import { readResources } from './kube/resources.ts';
import { runMany, type Summary } from './run-many.ts';
import { runSeed } from './run-seed.ts';

const workers = availableParallelism();
const fixed = { from: 1, count: 300 };
const fresh = { from: 1_000_000 + Math.floor(Math.random() * 1_000_000_000), count: 30 };

function failuresOf({ failed }: Summary): string[] {
  return failed.map(
    ({ seed, mode, violations }) =>
      `npm run simulate -- --seed ${seed} --mode ${mode}: ${violations[0]?.oracle}: ${violations[0]?.what.slice(0, 300)}`,
  );
}

it(`${fixed.count} seeds hurt no oracle`, async () => {
  const summary = await runMany({ ...fixed, mode: undefined, workers });
  expect(failuresOf(summary)).toEqual([]);
  // Faults were injected, and not only a few kinds.
  expect([...summary.counts.keys()].filter((name) => name.startsWith('kube ')).length).toBeGreaterThan(20);
  expect([...summary.counts.keys()].filter((name) => name.startsWith('service ')).length).toBeGreaterThan(30);
});

it('a seed goes the same way every time', async () => {
  const resources = await readResources();
  for (const seed of [11, 12, 13, 14]) {
    const mode = seed % 2 === 0 ? 'safety' : 'liveness';
    const [first, second] = [await runSeed({ seed, mode, resources }), await runSeed({ seed, mode, resources })];
    expect([second.traceHash, second.events]).toEqual([first.traceHash, first.events]);
  }
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
