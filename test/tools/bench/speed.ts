// The cost of 1,000 policies on 1,000 scopes for every side of the comparison and for a client that decides nothing, by turns in one run; then what an idle operator takes, and how soon an edit is on the wire.
import { join } from 'node:path';

import { build } from 'rolldown';

import { renderComparison, type Measure } from './compare.ts';
import type { Setup } from './setup.ts';
import { correctionsOf, describeFleet, eventsOf, policiesOf } from './shapes.ts';
import type { Side } from './sides.ts';
import { runBaseline, runOperator, speedShape, type SpeedOptions, type SpeedRun } from './speed-runs.ts';
import { type Findings, wrongCount } from './table.ts';

export interface SpeedPlan extends SpeedOptions {
  readonly rounds: number;
}

export async function measureSpeed(setup: Setup, plan: SpeedPlan): Promise<Findings> {
  const operators = setup.sides.map((side) => ({ name: side.name, side, results: [] as SpeedRun[] }));
  const baseline = { name: 'undici baseline', file: await bundleBaseline(setup), results: [] as SpeedRun[] };
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const { side, results } of inTurn(operators, round)) {
      results.push(await runOperator(setup, side, runName(side, round), plan));
    }
    const written = operators[0]?.results[0]?.rest?.written;
    if (!written) throw new Error('the first side wrote nothing');
    baseline.results.push(await runBaseline(setup, baseline.file, `baseline-${round}`, written));
  }
  const title = `${describeFleet(speedShape)}, 4 alerts of 3 incidents each, 2 of them drifted; ${roundsText(plan.rounds)}`;
  return {
    text: renderComparison<SpeedRun>(title, [...operators, baseline], measures(plan)),
    wrong: (operators[0]?.results ?? []).flatMap(mistakesOf),
  };
}

function runName({ key }: Side, round: number): string {
  return `speed-${key}-${round}`;
}

/** The other way round in every second round, so that what changes over time hits each subject alike. */
function inTurn<T>(subjects: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? subjects : subjects.toReversed();
}

async function bundleBaseline({ directory }: Setup): Promise<string> {
  const file = join(directory, 'undici-baseline.mjs');
  // With whole dependencies: the bundle of the operator leaves out the parts that only the baseline uses.
  await build({
    input: 'test/tools/bench/clients/undici-baseline.ts',
    platform: 'node',
    output: { file, format: 'esm' },
  });
  return file;
}

function mistakesOf({ spent }: SpeedRun): string[] {
  return [
    ...wrongCount('LISTs', spent.lists, 2 * speedShape.scopes),
    ...wrongCount('PATCHes', spent.patches, correctionsOf(speedShape)),
    ...wrongCount('policy status writes', spent.policyStatusWrites, policiesOf(speedShape)),
    ...wrongCount('events', spent.eventsCreated, eventsOf(speedShape)),
  ];
}

/** The goals are for the ratio to 2ad46d9c (`--against 2ad46d9c`), the commit before the operator got one mechanism for each promise. */
function measures({ idleSeconds }: SpeedPlan): Measure<SpeedRun>[] {
  const count = (name: string, wanted: number, of: (run: SpeedRun) => number): Measure<SpeedRun> => {
    return { name, unit: '', digits: 0, of, goal: String(wanted) };
  };
  return [
    count('LISTs', 2 * speedShape.scopes, ({ spent }) => spent.lists),
    count('PATCHes', correctionsOf(speedShape), ({ spent }) => spent.patches),
    count('policy status writes', policiesOf(speedShape), ({ spent }) => spent.policyStatusWrites),
    count('events', eventsOf(speedShape), ({ spent }) => spent.eventsCreated),
    { name: 'wall time', unit: 's', digits: 2, of: ({ spent }) => spent.wallSeconds },
    { name: 'CPU', unit: 's', digits: 2, of: ({ spent }) => spent.cpuSeconds, goal: '/ 2ad46d9c ≤ 1.0' },
    { name: 'peak RSS', unit: 'MiB', digits: 1, of: ({ spent }) => spent.peakMiB, goal: '/ 2ad46d9c ≤ 1.10' },
    {
      name: "API server's CPU",
      unit: 's',
      digits: 2,
      of: ({ spent }) => spent.apiServerCpuSeconds,
      goal: '/ 2ad46d9c ≤ 1.0',
    },
    { name: 'API server allocates', unit: 'MiB', digits: 0, of: ({ spent }) => spent.apiServerAllocatedMiB },
    { name: `idle CPU in ${idleSeconds} s`, unit: 's', digits: 3, of: ({ rest }) => rest?.idleCpuSeconds },
    {
      name: 'edit to PATCH, median',
      unit: 'ms',
      digits: 1,
      of: ({ rest }) => rest?.edits.medianMs,
      goal: '/ 2ad46d9c ≤ 1.0',
    },
    { name: 'edit to PATCH, 95 of 100', unit: 'ms', digits: 1, of: ({ rest }) => rest?.edits.slowMs },
    { name: 'quick edits to PATCH, median', unit: 'ms', digits: 1, of: ({ rest }) => rest?.quickEdits.medianMs },
    { name: 'peak RSS at the end', unit: 'MiB', digits: 1, of: ({ rest }) => rest?.peakMiB },
  ];
}

function roundsText(rounds: number): string {
  return rounds === 1 ? 'one round' : `median of ${rounds} rounds`;
}
