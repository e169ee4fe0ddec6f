// Damping holds as a count of sends: however often an alert is activated again, whatever happens to its policies and however often the
// operator restarts, a connection deactivates it only so often within any window.
import { keyOfCaller } from '../alerts/callers.ts';
import { alertKey } from '../dismissed-alerts.ts';
import { connectionAt, connectionKeyOf, connectionPlurals, keyAnywhere } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import { type Json, textOf } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { lineOf, scopeOf } from './declared.ts';
import { SpecHistory } from './history.ts';
import type { Oracle } from './oracle.ts';

/** A process may plan from a version of the policy that is this old, and a status has whole seconds. */
const knownMs = 120_000;
const edgeMs = 2000;

export const dampingOracle: Oracle = {
  name: 'damping holds as a count of sends',
  watch(world, report) {
    const policies = new SpecHistory(world, 'rolealertpolicies');
    const wipedMs = lastWipes(world);
    const sends = new Map<string, number[]>();
    const listed = new Set<string>();
    world.judges.push(({ process, origin, kind, isActive, caller, scope, alert, atMs }) => {
      const place = `${process} ${caller} ${origin} ${scope.toLowerCase()}`;
      if (kind === 'list') listed.add(place);
      if (isActive !== false || caller === undefined || world.hasWrongClocks) return undefined;
      // Each deactivation has a list of its own. Without one, this is the same deactivation, repeated with a new token after a 401.
      if (!listed.delete(place)) return undefined;
      return () => {
        const connection = keyOfCaller(caller);
        const { uid } = connectionAt(world.api.store, connection)?.metadata ?? {};
        const key = `${uid} ${alertKey(origin, scope, alert)}`;
        const all = [...(sends.get(key) ?? []), atMs];
        sends.set(key, all);
        const declaring = policies
          .keys()
          .flatMap((each) => policies.during(atMs - knownMs, atMs, each))
          .map(({ object }) => object)
          .filter((object) => connectionKeyOf(object) === connection && declares(object, scope, alert));
        const isHeld = (object: StoredObject) => {
          const fromMs = Math.max(atMs - windowOf(object) + edgeMs, wipedMs.get(connection) ?? -Infinity);
          return all.filter((ms) => ms > fromMs).length > mostOf(object);
        };
        if (declaring.length > 0 && declaring.every(isHeld))
          report(`${alert} of ${scope} was deactivated ${all.length} times, more often than damping allows`);
      };
    });
  },
};

function declares(policy: StoredObject, scope: string, alert: string): boolean {
  return scopeOf(policy) === scope.toLowerCase() && lineOf(policy, alert)?.['state'] === 'Inactive';
}

function windowOf({ spec = {} }: StoredObject): number {
  const text = textOf(((spec['damping'] ?? {}) as Json)['window'], '6h');
  return Number.parseInt(text, 10) * (text.endsWith('h') ? 3_600_000 : 60_000);
}

function mostOf({ spec = {} }: StoredObject): number {
  return Number(((spec['damping'] ?? {}) as Json)['maxDeactivations'] ?? 3);
}

/** When another client last removed the deactivations from the status of a connection: a process that dies before it repairs that loses them. */
function lastWipes(world: World): ReadonlyMap<string, number> {
  const wipes = new Map<string, number>();
  world.api.store.onChange(({ plural, object, previous }) => {
    const has = (status: Json | undefined) => ((status?.['recentDeactivations'] ?? []) as readonly object[]).length > 0;
    if (connectionPlurals.includes(plural) && has(previous?.status) && !has(object.status))
      wipes.set(keyAnywhere(object), world.time.nowMs);
  });
  return wipes;
}
