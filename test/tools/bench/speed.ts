// The cost of 1,000 policies on 1,000 scopes for every side of the comparison, by turns in one run; then how soon an edit is on the wire.
import { setTimeout as delay } from 'node:timers/promises';

import { correctionsOf, describeFleet, fleetOf } from '../../support/builders/fleet.ts';
import { type Findings, type Measure, renderComparison, wrongCount } from './compare.ts';
import { measureEdits } from './edits.ts';
import { afterFirstRound } from './first-round.ts';
import type { Spent } from './meter.ts';
import type { Setup } from './setup.ts';
import type { Side } from './sides.ts';

interface SpeedRun {
  readonly spent: Spent;
  /** From an edit to its PATCH, the median. */
  readonly editMs: number;
}

interface SpeedPlan {
  readonly rounds: number;
  readonly edits: number;
}

const shape = fleetOf(1000);

/** The caches and the garbage collector of a process are busy for a while after its last request. */
const settleMs = 3000;

export async function measureSpeed(setup: Setup, plan: SpeedPlan): Promise<Findings> {
  const operators = setup.sides.map((side) => ({ name: side.name, side, results: [] as SpeedRun[] }));
  for (let round = 0; round < plan.rounds; round += 1) {
    // The other way round in every second round, so that what changes over time hits each side alike.
    for (const { side, results } of round % 2 === 0 ? operators : operators.toReversed()) {
      results.push(await runOperator(setup, side, `speed-${side.key}-${round}`, plan));
    }
  }
  const rounds = plan.rounds === 1 ? 'one round' : `median of ${plan.rounds} rounds`;
  const title = `${describeFleet(shape)}, 4 alerts of 3 incidents each, 2 of them drifted; ${rounds}`;
  return {
    text: renderComparison<SpeedRun>(title, operators, measures),
    wrong: (operators[0]?.results ?? []).flatMap(mistakesOf),
  };
}

function runOperator(setup: Setup, side: Side, name: string, plan: SpeedPlan): Promise<SpeedRun> {
  return afterFirstRound(setup, { side, name, shape }, async ({ place, spent }) => {
    await delay(settleMs);
    return { spent, editMs: await measureEdits(setup, place, plan.edits) };
  });
}

function mistakesOf({ spent }: SpeedRun): string[] {
  return [
    ...wrongCount('LISTs', spent.lists, 2 * shape.scopes),
    ...wrongCount('PATCHes', spent.patches, correctionsOf(shape)),
    ...wrongCount('policy status writes', spent.policyStatusWrites, shape.scopes),
    ...wrongCount('events', spent.eventsCreated, shape.scopes),
  ];
}

const count = (name: string, wanted: number, of: (spent: Spent) => number): Measure<SpeedRun> => {
  return { name, unit: '', digits: 0, of: ({ spent }) => of(spent), goal: String(wanted) };
};
const time = (name: string, unit: string, of: (run: SpeedRun) => number, goal?: string): Measure<SpeedRun> => {
  return { name, unit, digits: unit === 's' ? 2 : 1, of, ...(goal !== undefined && { goal }) };
};

/** The goals are for the ratio to 2ad46d9c (`--against 2ad46d9c`), the commit before the operator got one mechanism for each promise. */
const measures: readonly Measure<SpeedRun>[] = [
  count('LISTs', 2 * shape.scopes, ({ lists }) => lists),
  count('PATCHes', correctionsOf(shape), ({ patches }) => patches),
  count('policy status writes', shape.scopes, ({ policyStatusWrites }) => policyStatusWrites),
  count('events', shape.scopes, ({ eventsCreated }) => eventsCreated),
  time('wall time', 's', ({ spent }) => spent.wallSeconds),
  time('CPU', 's', ({ spent }) => spent.cpuSeconds, '/ 2ad46d9c ≤ 1.0'),
  time('peak RSS', 'MiB', ({ spent }) => spent.peakMiB, '/ 2ad46d9c ≤ 1.10'),
  time("API server's CPU", 's', ({ spent }) => spent.apiServerCpuSeconds, '/ 2ad46d9c ≤ 1.0'),
  time('edit to PATCH, median', 'ms', ({ editMs }) => editMs, '/ 2ad46d9c ≤ 1.0'),
];
