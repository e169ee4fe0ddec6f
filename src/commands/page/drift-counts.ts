// The last drift of each alert, counted by the kind of actor that probably caused it (operator/decide/drift.ts).
import { byText } from '../../lib/by-text.ts';
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
  /** A `DriftActor`, or the word of a newer operator. */
  readonly actor: string;
  readonly activated: number;
  readonly deactivated: number;
}

/** One row for each actor that caused a drift, in the order of `driftActors`, then those that this version does not know. */
export function driftByActor(policies: readonly RoleAlertPolicy[]): readonly ActorDrift[] {
  const drifts = policies.flatMap(({ status }) => (status?.alerts ?? []).flatMap(({ lastDrift }) => lastDrift ?? []));
  const unknown = new Set<string>(drifts.map(({ actorClass }) => actorClass)).difference(new Set<string>(driftActors));
  return [...driftActors, ...[...unknown].sort(byText)]
    .map((actor) => {
      const directions = drifts.filter(({ actorClass }) => actorClass === actor).map(({ direction }) => direction);
      const activated = directions.filter((direction) => direction === 'Activated').length;
      return { actor, activated, deactivated: directions.length - activated };
    })
    .filter(({ activated, deactivated }) => activated + deactivated > 0);
}
