// What grants cost: 1,000 policies of 40 namespaces on one ClusterRoleAlertConnection, by turns with the same policies in one
// namespace with its own connection.
import type { FleetShape } from '../support/builders/fleet.ts';
import { renderComparison, type Measure } from './compare.ts';
import { afterFirstRound } from './first-round.ts';
import type { Spent } from './meter.ts';
import type { Setup } from './setup.ts';
import { correctionsOf, describeFleet, eventsOf, policiesOf } from './shapes.ts';
import { speedShape } from './speed-runs.ts';
import { countRow, type Findings, wrongRows } from './table.ts';

const shapes: readonly { readonly name: string; readonly key: string; readonly shape: FleetShape }[] = [
  { name: '40 namespaces', key: 'teams', shape: { ...speedShape, namespaces: 40 } },
  { name: 'one namespace', key: 'team', shape: speedShape },
];

const measures: readonly Measure<Spent>[] = [
  { name: 'LISTs', unit: '', digits: 0, of: ({ lists }) => lists, goal: String(2 * speedShape.scopes) },
  { name: 'PATCHes', unit: '', digits: 0, of: ({ patches }) => patches, goal: String(correctionsOf(speedShape)) },
  { name: 'CPU', unit: 's', digits: 2, of: ({ cpuSeconds }) => cpuSeconds, goal: '/ one namespace ≤ 1.03' },
  { name: 'peak RSS', unit: 'MiB', digits: 1, of: ({ peakMiB }) => peakMiB },
  { name: "API server's CPU", unit: 's', digits: 2, of: ({ apiServerCpuSeconds }) => apiServerCpuSeconds },
];

export async function measureTeams(setup: Setup, rounds: number): Promise<Findings> {
  const [side] = setup.sides;
  const subjects = shapes.map((each) => ({ ...each, results: [] as Spent[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { key, shape, results } of round % 2 === 0 ? subjects : subjects.toReversed())
      results.push(await afterFirstRound(setup, { side, name: `${key}-${round}`, shape }, async ({ spent }) => spent));
  }
  return {
    text: renderComparison(`${describeFleet(speedShape)}, first round`, subjects, measures),
    wrong: wrongRows(subjects.flatMap(({ results }) => results).flatMap(countsOf)),
  };
}

function countsOf({ lists, patches, policyStatusWrites, eventsCreated }: Spent) {
  return [
    countRow('LISTs', lists, 2 * speedShape.scopes),
    countRow('PATCHes', patches, correctionsOf(speedShape)),
    countRow('policy status writes', policyStatusWrites, policiesOf(speedShape)),
    countRow('events', eventsCreated, eventsOf(speedShape)),
  ];
}
