// What the operator activated itself, because the grant of a dismissal was withdrawn or another policy won the alert, is not reported as
// drift: the status never blames a client for what the operator did.
import { keyOfCaller } from '../alerts/callers.ts';
import { alertKey } from '../dismissed-alerts.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { connectionAt, connectionKeyOf } from '../kube/connection-keys.ts';
import { keyOf, type StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { originOf, scopeOf } from './declared.ts';
import { rememberPrevious } from './history.ts';
import type { Oracle } from './oracle.ts';

export const attributionOracle: Oracle = {
  name: 'what the operator activated itself is no drift',
  watch(world, report) {
    const activated = rememberActivations(world);
    const before = rememberPrevious(world, 'rolealertpolicies');
    world.api.onWrite.push((_request, { resource, isStatus }, object) => {
      if (resource.plural !== 'rolealertpolicies' || !isStatus || world.hasWrongClocks) return;
      for (const row of newDrifts(before.get(keyOf(object)), object)) {
        const own = activated.get(placeOf(world, object, row.name));
        const isFound = own && row.atMs >= secondOf(startOfTimeMs + own.atMs);
        if (!isFound || own.connection !== connectionKeyOf(object)) continue;
        report(`${keyOf(object)} says ${row.actor} activated ${row.name}, which the operator did`);
      }
    });
  },
};

/** As precise as a timestamp of a status. */
function secondOf(ms: number): number {
  return ms - (ms % 1000);
}

interface Activation {
  /** `namespace/name`. */
  readonly connection: string;
  readonly atMs: number;
}

/** By `alertKey`: the alerts that are active because the operator activated them last. */
function rememberActivations(world: World): ReadonlyMap<string, Activation> {
  const activated = new Map<string, Activation>();
  world.onCall(({ kind, origin, caller, scope, alert, isActive, wasActive, atMs }) => {
    if (kind !== 'patch' || caller === undefined) return;
    const key = alertKey(origin, scope, alert);
    if (isActive === false) activated.delete(key);
    else if (wasActive === false) activated.set(key, { connection: keyOfCaller(caller), atMs });
  });
  for (const service of world.services)
    service.onTurned.push((scope, alert) => activated.delete(alertKey(service.origin, scope, alert)));
  return activated;
}

interface Drift {
  readonly name: string;
  readonly actor: string;
  readonly atMs: number;
}

/** The policy dismisses the alert, and the operator found it active although it may not be or another policy owns it. */
function newDrifts(before: StoredObject | undefined, object: StoredObject): Drift[] {
  const known = new Map(rowsOf(before).map(({ name, lastDrift }) => [name, JSON.stringify(lastDrift)]));
  return rowsOf(object).flatMap(({ name, result, lastDrift }): Drift[] => {
    const { at, actorClass, direction } = (lastDrift ?? {}) as Json;
    const isNew = lastDrift !== undefined && known.get(name) !== JSON.stringify(lastDrift);
    if (!isNew || direction !== 'Activated') return [];
    if (!['Denied', 'Conflict'].includes(String(result))) return [];
    return [{ name: String(name), actor: String(actorClass), atMs: Date.parse(String(at)) }];
  });
}

function rowsOf(object: StoredObject | undefined): readonly Json[] {
  return (object?.status?.['alerts'] ?? []) as readonly Json[];
}

function placeOf(world: World, policy: StoredObject, alert: string): string {
  const connection = connectionAt(world.api.store, connectionKeyOf(policy));
  return alertKey(originOf(connection) ?? '', scopeOf(policy), alert);
}
