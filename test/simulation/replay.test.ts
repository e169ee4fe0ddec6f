// Replays of what whole runs recorded: the same version decides the same, and a changed rule shows as exactly what it changes.
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { Replay, type ReplayDifference, type ReplayReport } from '../../src/commands/preview/replay.ts';
import { isObject } from '../../src/lib/json-shape.ts';
import { decodePlanRecord, encodeRecord } from '../../src/operator/recording/plan-record.ts';
import type { PlanRecord } from '../../src/operator/report/plan-facts.ts';
import { deliberateBugs } from './bugs.ts';
import { readResources } from './kube/resources.ts';
import { copyProject, makeBug, readPlaces } from './project-copy.ts';
import { runSeed, type SeedOptions } from './run-seed.ts';
import { storyOf } from './scenarios/stories.ts';

/** The lines that the operators of a seed recorded. */
async function recordSeed(options: Pick<SeedOptions, 'seed' | 'mode'>): Promise<readonly string[]> {
  const lines: string[] = [];
  const recorder = {
    record: (planned: Parameters<typeof encodeRecord>[0]) => void lines.push(encodeRecord(planned, '0.0.0')),
  };
  const { violations } = await runSeed({ ...options, resources: await readResources(), recorder });
  expect(violations).toEqual([]);
  return lines;
}

/** The first seed that plays the story. */
function seedOf(story: string): number {
  let seed = 0;
  while (storyOf(seed).name !== story) seed++;
  return seed;
}

function recordsOf(lines: readonly string[]): readonly PlanRecord[] {
  return lines.map((line) => {
    const { record, problem } = decodePlanRecord(line);
    if (!record) throw new Error(problem);
    return record;
  });
}

it.each([
  ['safety', 2],
  ['liveness', 1],
  ['directed', seedOf('a quarrel about one alert')],
] as const)('gives the recorded decisions of a seed: %s %i', async (mode, seed) => {
  const replay = new Replay();
  for (const record of recordsOf(await recordSeed({ seed, mode }))) replay.add(record);
  const { totals, differences } = replay.report('0.1.0');
  expect(differences).toEqual([]);
  expect(totals.plans).toBeGreaterThan(10);
});

/** The exit code and the report of the program with that bug. */
async function replayWith(bug: string, lines: readonly string[]) {
  const found = deliberateBugs.find(({ name }) => name === bug);
  if (!found) throw new Error(`there is no bug ${bug}`);
  const project = await copyProject();
  try {
    await makeBug(project, found, await readPlaces());
    await mkdir(join(project, 'plans'));
    await writeFile(join(project, 'plans/plans-20260101T000000Z-000001.jsonl'), lines.join(''));
    const args = ['src/main.ts', 'replay', 'plans', '--output', 'json'];
    const failure: unknown = await promisify(execFile)(process.execPath, args, { cwd: project }).catch(
      (error: unknown) => error,
    );
    if (!isObject(failure)) throw new Error('no difference');
    return { code: failure['code'], report: JSON.parse(String(failure['stdout'])) as ReplayReport };
  } finally {
    await rm(project, { recursive: true });
  }
}

it('shows every decision that a changed rule held, and nothing else', async () => {
  const lines = await recordSeed({ seed: seedOf('a quarrel about one alert'), mode: 'directed' });
  const held = recordsOf(lines).filter(({ facts }) => facts.some(({ value }) => value.startsWith('Held (Flapping)')));
  const { code, report } = await replayWith('damp nothing', lines);
  expect([code, report.totals.differingPlans]).toEqual([2, held.length]);
  expect(held.length).toBeGreaterThan(0);
  const { Decision = [], Action = [], ...others } = Object.groupBy(report.differences, ({ kind }) => kind);
  for (const { before, now } of Decision)
    expect([before, now]).toEqual([expect.stringMatching(/^Held \(Flapping\)/), expect.stringMatching(/^Drifted;/)]);
  for (const { before, now } of Action)
    expect([before, now]).toEqual([undefined, expect.stringMatching(/^deactivate:/)]);
  expect(plansOf(Action)).toBe(plansOf(Decision));
  // The ledger keeps an entry whose alert is about to be deactivated again.
  const { NextChange: _, Dismissal = [], ...rest } = others;
  expect(rest).toEqual({});
  for (const { before, now, alert } of Dismissal) {
    expect([before, now]).toEqual(['resolved', undefined]);
    expect(Action.map((action) => action.alert)).toContain(alert);
  }
});

function plansOf(differences: readonly ReplayDifference[]): number {
  return differences.reduce((sum, { plans }) => sum + plans, 0);
}
