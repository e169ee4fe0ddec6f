// Whole runs with faults: a fixed set that has to pass. seeds.nightly.ts has more of them. A failing seed prints the command that runs it
// again.
import { availableParallelism } from 'node:os';

import { expect, it } from 'vitest';

import { seedsOfBugs } from './bugs.ts';
import { failuresOf, runMany } from './run-many.ts';
import { storySeeds } from './scenarios/stories.ts';

const workers = availableParallelism();
/**
 * An edit was taken back before any watch delivered it; deactivations at 240 requests an hour kept a scope and a status waiting; the clock
 * stepped while an activation was on its way; the pauses of one scope rejected the second page of another's every list.
 */
const remembered = [401, 61_023, 71_023, 810_219, 6_000_323];
const gate = { from: 1, count: 24 };
/** Every fourth seed brings a directed one along, with a quarter of its number. */
const isOfGate = (directed: number) => directed * 4 >= gate.from && directed * 4 < gate.from + gate.count;

it(`${gate.count} seeds hurt no oracle`, async () => {
  const summary = await runMany({ ...gate, mode: undefined, workers });
  expect(failuresOf(summary)).toEqual([]);
  // Faults were injected, and not only a few kinds.
  expect([...summary.counts.keys()].filter((name) => name.startsWith('kube ')).length).toBeGreaterThan(20);
  expect([...summary.counts.keys()].filter((name) => name.startsWith('service ')).length).toBeGreaterThan(30);
});

it('every story, every seed that finds a deliberate bug, and every remembered seed hurts no oracle', async () => {
  const ofBugs = await seedsOfBugs();
  const directed = [...new Set([...storySeeds, ...ofBugs.directed])].filter((seed) => !isOfGate(seed));
  const drawn = [...ofBugs.drawn.filter((seed) => seed > gate.count), ...remembered];
  const runs = [
    { mode: 'directed' as const, among: directed },
    { mode: undefined, among: drawn },
  ];
  for (const run of runs) {
    expect(failuresOf(await runMany({ ...run, from: 0, count: 0, workers }))).toEqual([]);
  }
});
