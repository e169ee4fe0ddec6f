// The first round of an operator over a fleet: every policy is listed, corrected and reported.
import { correctionsOf, type FleetShape } from '../../support/builders/fleet.ts';
import { openFleetPlace, type FleetPlace } from './fleet-place.ts';
import { openMeter, type Spent } from './meter.ts';
import { type Program, startOperator } from './programs.ts';
import type { Setup } from './setup.ts';
import type { Side } from './sides.ts';

export interface FirstRound {
  readonly place: FleetPlace;
  readonly operator: Program;
  readonly spent: Spent;
}

/** Calls `use` with the operator at rest and the fleet in sync, then stops and deletes everything. `name` names the namespace. */
export async function afterFirstRound<Result>(
  setup: Setup,
  { side, name, shape }: { readonly side: Side; readonly name: string; readonly shape: FleetShape },
  use: (round: FirstRound) => Promise<Result>,
): Promise<Result> {
  await setup.applyCrds(side);
  const place = await openFleetPlace(setup, name, shape);
  try {
    const meter = await openMeter(setup, place);
    const operator = await startOperator(setup, side, name);
    try {
      const { answered } = place.service;
      const spent = await meter.untilAtRest(operator, () => answered.PATCH >= correctionsOf(shape));
      return await use({ place, operator, spent });
    } finally {
      await operator.stop();
    }
  } finally {
    await place.stop();
  }
}
