// Whole runs with faults: a fixed set that has to pass. seeds.nightly.ts has more of them. A failing seed prints the command that runs it
// again.
import { availableParallelism } from 'node:os';

import { expect, it } from 'vitest';

import { seedsOfBugs } from './bug-seeds.ts';
import { readResources } from './kube/resources.ts';
import { failuresOf, runMany } from './run-many.ts';
import { runSeed } from './run-seed.ts';
import { storyNames } from './scenarios/stories.ts';

const workers = availableParallelism();
const gate = { from: 1, count: 100 };

it(`${gate.count} seeds hurt no oracle`, async () => {
  const summary = await runMany({ ...gate, mode: undefined, workers });
  expect(failuresOf(summary)).toEqual([]);
  // Faults were injected, and not only a few kinds.
  expect([...summary.counts.keys()].filter((name) => name.startsWith('kube ')).length).toBeGreaterThan(20);
  expect([...summary.counts.keys()].filter((name) => name.startsWith('service ')).length).toBeGreaterThan(30);
});

it('every story, and every seed that finds a deliberate bug, hurts no oracle', async () => {
  const ofBugs = await seedsOfBugs();
  const stories = storyNames.map((_, seed) => seed);
  const directed = [...new Set([...stories, ...ofBugs.directed])];
  const drawn = ofBugs.drawn.filter((seed) => seed > gate.count);
  const runs = [
    { mode: 'directed' as const, among: directed },
    { mode: undefined, among: drawn },
  ];
  for (const run of runs) {
    expect(failuresOf(await runMany({ ...run, from: 0, count: 0, workers }))).toEqual([]);
  }
});

it('a seed goes the same way every time', async () => {
  const resources = await readResources();
  for (const seed of [11, 12, 13, 14]) {
    const mode = seed % 2 === 0 ? 'safety' : 'liveness';
    const [first, second] = [await runSeed({ seed, mode, resources }), await runSeed({ seed, mode, resources })];
    expect([second.traceHash, second.events]).toEqual([first.traceHash, first.events]);
  }
});
