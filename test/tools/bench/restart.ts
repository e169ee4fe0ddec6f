// A restart of the operator while its fleet is in sync: it lists everything and writes nothing.
import { describeFleet, type FleetShape } from '../../support/builders/fleet.ts';
import { type Measure, renderComparison, wrongCount } from './compare.ts';
import type { FleetPlace } from './fleet-place.ts';
import { openMeter, type Spent } from './meter.ts';
import { startOperator } from './programs.ts';
import type { Setup } from './setup.ts';
import type { Side } from './sides.ts';

export interface Restart {
  readonly spent: Spent;
}

/** Starts an operator. Its predecessor has stopped. */
export async function measureRestart(setup: Setup, side: Side, place: FleetPlace): Promise<Restart> {
  const meter = await openMeter(setup, place);
  const { answered } = place.service;
  const wanted = answered.GET + place.shape.scopes;
  const operator = await startOperator(setup, side, `${place.namespace}-restart`);
  try {
    return { spent: await meter.untilAtRest(operator, () => answered.GET >= wanted) };
  } finally {
    await operator.stop();
  }
}

export function restartMistakes({ scopes }: FleetShape, { spent }: Restart): string[] {
  return [
    ...wrongCount('LISTs after a restart', spent.lists, scopes),
    ...wrongCount('PATCHes after a restart', spent.patches, 0),
    ...wrongCount('policy status writes after a restart', spent.policyStatusWrites, 0),
    ...wrongCount('connection status writes after a restart', spent.connectionStatusWrites, 0),
    ...wrongCount('events after a restart', spent.eventsCreated, 0),
  ];
}

export function renderRestarts(
  shape: FleetShape,
  subjects: readonly { readonly name: string; readonly results: readonly Restart[] }[],
): string {
  const count = (name: string, wanted: number, of: (spent: Spent) => number): Measure<Restart> => {
    return { name, unit: '', digits: 0, of: ({ spent }) => of(spent), goal: String(wanted) };
  };
  return renderComparison<Restart>(`restart with ${describeFleet(shape)} in sync`, subjects, [
    count('LISTs', shape.scopes, ({ lists }) => lists),
    count('PATCHes', 0, ({ patches }) => patches),
    count(
      'status writes',
      0,
      ({ policyStatusWrites, connectionStatusWrites }) => policyStatusWrites + connectionStatusWrites,
    ),
    count('events', 0, ({ eventsCreated }) => eventsCreated),
    { name: 'until every scope is listed', unit: 's', digits: 2, of: ({ spent }) => spent.wallSeconds },
    { name: 'CPU', unit: 's', digits: 2, of: ({ spent }) => spent.cpuSeconds },
    { name: 'peak RSS', unit: 'MiB', digits: 1, of: ({ spent }) => spent.peakMiB },
    { name: "API server's CPU", unit: 's', digits: 2, of: ({ spent }) => spent.apiServerCpuSeconds },
  ]);
}
