// Replays of what whole runs recorded: the same version decides the same.
import { expect, it } from 'vitest';

import { Replay } from '../../src/commands/preview/replay.ts';
import { decodePlanRecord, encodeRecord } from '../../src/operator/recording/plan-record.ts';
import { readResources } from './kube/resources.ts';
import { runSeed } from './run-seed.ts';

it.each([
  ['safety', 2],
  ['liveness', 1],
  ['directed', 0],
] as const)('gives the recorded decisions of a seed: %s %i', async (mode, seed) => {
  const lines: string[] = [];
  const recorder = {
    record: (planned: Parameters<typeof encodeRecord>[0]) => void lines.push(encodeRecord(planned, '0.0.0')),
  };
  const { violations } = await runSeed({ seed, mode, resources: await readResources(), recorder });
  expect(violations).toEqual([]);
  const replay = new Replay();
  for (const line of lines) {
    const { record, problem } = decodePlanRecord(line);
    if (!record) throw new Error(problem);
    replay.add(record);
  }
  const { totals, differences } = replay.report('0.1.0');
  expect(differences).toEqual([]);
  expect(totals.plans).toBeGreaterThan(10);
});
