// Replays of what whole runs recorded: the same version decides the same, and a changed rule shows as exactly what it changes.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Replay, type ReplayDifference } from '../../src/commands/preview/replay.ts';
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

describe('a replay of a seed', () => {
  it.each([
    ['safety', [2, 6, 12, 24]],
    ['liveness', [1, 3, 5, 21]],
    ['directed', [seedOf('a quarrel about one alert')]],
  ] as const)('gives the recorded decisions: %s %j', async (mode, seeds) => {
    const replay = new Replay();
    for (const seed of seeds) for (const record of recordsOf(await recordSeed({ seed, mode }))) replay.add(record);
    const { totals, differences } = replay.report('0.1.0');
    expect(differences).toEqual([]);
    expect(totals.plans).toBeGreaterThan(10);
  });
});

describe('a replay with a changed rule', () => {
  let project: string;
  let recording: string;

  beforeAll(async () => {
    project = await copyProject();
    recording = await mkdtemp(join(tmpdir(), 'rolealerts-replay-'));
  });
  afterAll(async () => {
    for (const folder of [project, recording]) await rm(folder, { recursive: true });
  });

  /** What the program with that bug says about the lines. */
  async function replayWith(bug: string, lines: readonly string[]) {
    await writeFile(join(recording, 'plans-20260101T000000Z-000001.jsonl'), lines.join(''));
    const found = deliberateBugs.find(({ name }) => name === bug);
    if (!found) throw new Error(`there is no bug ${bug}`);
    const undo = await makeBug(project, found, await readPlaces());
    const args = ['src/main.ts', 'replay', recording, '--output', 'json'];
    const failure: unknown = await promisify(execFile)(process.execPath, args, { cwd: project }).catch(
      (error: unknown) => error,
    );
    await undo();
    if (!isObject(failure)) throw new Error('no difference');
    const { differingPlans, differences } = reportOf(String(failure['stdout']));
    return { code: failure['code'], differingPlans, differences };
  }

  it('shows every decision that the rule held, and nothing else', async () => {
    const lines = await recordSeed({ seed: seedOf('a quarrel about one alert'), mode: 'directed' });
    const held = recordsOf(lines).filter(({ facts }) => facts.some(({ value }) => value.startsWith('Held (Flapping)')));
    const { code, differingPlans, differences } = await replayWith('damp nothing', lines);
    expect([code, differingPlans]).toEqual([2, held.length]);
    expect(held.length).toBeGreaterThan(0);
    const decisions = differences.filter(({ kind }) => kind === 'Decision');
    for (const { before, now } of decisions)
      expect([before, now]).toEqual([expect.stringMatching(/^Held \(Flapping\)/), expect.stringMatching(/^Drifted;/)]);
    const actions = differences.filter(({ kind }) => kind === 'Action');
    for (const { before, now } of actions)
      expect([before, now]).toEqual([undefined, expect.stringMatching(/^deactivate:/)]);
    expect(plansOf(actions)).toBe(plansOf(decisions));
    // The ledger keeps an entry whose alert is about to be deactivated again.
    const rest = differences.filter(({ kind }) => !['Action', 'Decision', 'NextChange'].includes(kind));
    for (const { kind, before, now, alert } of rest) {
      expect([kind, before, now]).toEqual(['Dismissal', 'resolved', undefined]);
      expect(actions.map((action) => action.alert)).toContain(alert);
    }
  });

  it('differs only within the time that the rule gained', async () => {
    const lines: string[] = [];
    for (let seed = 1; recordsOf(lines).filter(isJustEnded).length < 20; seed += 2)
      lines.push(...(await recordSeed({ seed, mode: 'liveness' })));
    const { differences } = await replayWith('dismiss beyond the end', lines);
    const gained = recordsOf(lines)
      .filter(isJustEnded)
      .map(({ input }) => input.nowMs);
    expect(differences.length).toBeGreaterThan(0);
    for (const { first, last } of differences.filter(({ kind }) => kind === 'Decision')) {
      expect(gained.some((nowMs) => Math.floor(nowMs / 1000) * 1000 === Date.parse(first))).toBe(true);
      expect(gained.some((nowMs) => Math.floor(nowMs / 1000) * 1000 === Date.parse(last))).toBe(true);
    }
  });
});

function plansOf(differences: readonly ReplayDifference[]): number {
  return differences.reduce((sum, { plans }) => sum + plans, 0);
}

/** Whether a dismissal of its policies ended within the last five minutes. */
function isJustEnded({ input: { policies, nowMs } }: PlanRecord): boolean {
  const ends = policies.flatMap(({ policy: { spec } }) => (spec.alerts ?? []).map(({ dismissal }) => dismissal?.until));
  return ends.some((until) => until !== undefined && nowMs >= Date.parse(until) && nowMs < Date.parse(until) + 300_000);
}

function reportOf(text: string) {
  const { totals, differences } = JSON.parse(text) as {
    totals: { differingPlans: number };
    differences: readonly ReplayDifference[];
  };
  return { differingPlans: totals.differingPlans, differences };
}
