// The fleets of the bench.
import type { FleetShape } from '../../support/builders/fleet.ts';

/** One policy a scope, half of whose alerts drifted. */
export function fleetOf(scopes: number): FleetShape {
  return { scopes, policiesPerScope: 1, alertsPerPolicy: 4, driftedPerPolicy: 2, incidentsPerAlert: 3 };
}

export function policiesOf({ scopes, policiesPerScope }: FleetShape): number {
  return scopes * policiesPerScope;
}

/** The alerts that the operator has to activate. */
export function correctionsOf(shape: FleetShape): number {
  return policiesOf(shape) * shape.driftedPerPolicy;
}

/** The events of the first round: one for each policy, because its corrections have one reason. */
export function eventsOf(shape: FleetShape): number {
  return policiesOf(shape);
}

/** `1,000 policies on 100 scopes`. */
export function describeFleet(shape: FleetShape): string {
  const number = new Intl.NumberFormat('en');
  return `${number.format(policiesOf(shape))} policies on ${number.format(shape.scopes)} scopes`;
}
