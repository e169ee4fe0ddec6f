// The fleets of the bench.
import type { FleetShape } from '../../support/builders/fleet.ts';

/** One policy a scope, half of whose alerts drifted. */
export function fleetOf(scopes: number): FleetShape {
  return { scopes, alertsPerPolicy: 4, driftedPerPolicy: 2, incidentsPerAlert: 3 };
}

/** The alerts that the operator has to activate. */
export function correctionsOf({ scopes, driftedPerPolicy }: FleetShape): number {
  return scopes * driftedPerPolicy;
}

/** `1,000 policies`. */
export function describeFleet({ scopes }: FleetShape): string {
  return `${new Intl.NumberFormat('en').format(scopes)} policies`;
}
