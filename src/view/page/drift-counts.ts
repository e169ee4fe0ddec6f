// The last drift of each alert, counted by the kind of actor that probably caused it (plan/attribution.ts).
import type { DriftActor } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';

export const driftActors = [
  'User',
  'Application',
  'ManagedIdentity',
  'Key',
  'Scan',
  'Self',
  'Unknown',
] as const satisfies readonly DriftActor[];

export interface ActorDrift {
  readonly actor: DriftActor;
  readonly activated: number;
  readonly deactivated: number;
}

/** One row for each actor that caused a drift, in the order of `driftActors`. */
export function driftByActor(policies: readonly RoleAlertPolicy[]): readonly ActorDrift[] {
  const drifts = policies.flatMap(({ status }) => (status?.alerts ?? []).flatMap(({ lastDrift }) => lastDrift ?? []));
  return driftActors
    .map((actor) => {
      const directions = drifts.filter(({ actorClass }) => actorClass === actor).map(({ direction }) => direction);
      const activated = directions.filter((direction) => direction === 'Activated').length;
      return { actor, activated, deactivated: directions.length - activated };
    })
    .filter(({ activated, deactivated }) => activated + deactivated > 0);
}
