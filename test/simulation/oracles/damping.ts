// Damping holds as a count of sends: however often an alert is activated again, and whatever else happens, it is deactivated only so often
// within a window. A change of the spec or a reconcile request lets one more through.
import { keyOfCaller } from '../alerts/callers.ts';
import { alertKey } from '../dismissed-alerts.ts';
import { connectionKeyOf } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import { type Json, textOf } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { lineOf, scopeOf } from './declared.ts';
import { SpecHistory } from './history.ts';
import type { Oracle } from './oracle.ts';

interface Send {
  readonly atMs: number;
  readonly process: string;
}

export const dampingOracle: Oracle = {
  name: 'damping holds as a count of sends',
  watch(world, report) {
    const policies = new SpecHistory(world, 'rolealertpolicies');
    const wipes = wipesOf(world);
    const sends = new Map<string, Send[]>();
    world.judges.push(({ process, origin, isActive, caller, scope, alert, atMs }) => {
      if (isActive !== false || caller === undefined || world.hasWrongClocks) return undefined;
      return () => {
        const key = `${caller} ${alertKey(origin, scope, alert)}`;
        const all = [...(sends.get(key) ?? []), { atMs, process }];
        sends.set(key, all);
        const facts = { policies, connection: keyOfCaller(caller), scope, alert, wipes };
        const [most, windowMs] = allowanceAt(facts, all, atMs);
        const count = all.filter((send) => send.atMs > atMs - windowMs + edgeMs).length;
        if (count > most)
          report(`${alert} of ${scope} was deactivated ${count} times in ${windowMs / 1000} s, ${most} are allowed`);
      };
    });
  },
};

interface Facts {
  readonly policies: SpecHistory;
  readonly connection: string;
  readonly scope: string;
  readonly alert: string;
  readonly wipes: ReadonlyMap<string, number[]>;
}

/** The permitted number of deactivations, and its window: generous where windows meet, and where a process died before it recorded a send. */
function allowanceAt(
  { policies, connection, scope, alert, wipes }: Facts,
  sends: readonly Send[],
  atMs: number,
): [number, number] {
  const declaring = policies.keys().flatMap((key) =>
    policies
      .during(atMs - longestMs, atMs, key)
      .filter(
        ({ object }) =>
          connectionKeyOf(object) === connection &&
          scopeOf(object) === scope.toLowerCase() &&
          lineOf(object, alert)?.['state'] === 'Inactive',
      )
      .map((version) => ({ ...version, key })),
  );
  const windowMs = Math.min(longestMs, ...declaring.map(({ object }) => windowOf(object)));
  const fromMs = atMs - windowMs + edgeMs;
  const recent = declaring.filter(({ toMs }) => toMs >= fromMs);
  const uids = new Map(recent.map(({ object }) => [object.metadata.uid, 0]));
  for (const { object } of recent)
    uids.set(object.metadata.uid, Math.max(uids.get(object.metadata.uid) ?? 0, mostOf(object)));
  const perWindow = [...uids.values()].reduce((sum, most) => sum + most, 0);
  const keys = new Set(recent.map(({ key }) => key));
  const begun = [...keys]
    .flatMap((key) => policies.during(fromMs, atMs, key))
    .filter((version) => version.fromMs > fromMs);
  const wiped = [...keys].flatMap((key) => wipes.get(key) ?? []).filter((ms) => ms > fromMs);
  const processes = new Set(sends.filter((send) => send.atMs > fromMs).map(({ process }) => process)).size;
  // A window begins with a send, so two of them meet in this one only when there was one before it.
  const windows = (sends[0]?.atMs ?? atMs) > fromMs ? 1 : 2;
  return [windows * perWindow + begun.length + (wiped.length + processes - 1) * (perWindow + 1), windowMs];
}

const longestMs = 6 * 3_600_000;
/** A status shows the start of a window in whole seconds. */
const edgeMs = 2000;

function windowOf({ spec = {} }: StoredObject): number {
  const text = textOf(((spec['damping'] ?? {}) as Json)['window'], '6h');
  return Number.parseInt(text, 10) * (text.endsWith('h') ? 3_600_000 : 60_000);
}

function mostOf({ spec = {} }: StoredObject): number {
  return Number(((spec['damping'] ?? {}) as Json)['maxDeactivations'] ?? 3);
}

/** When another client removed a status, and with it the counts there. */
function wipesOf(world: World): Map<string, number[]> {
  const wipes = new Map<string, number[]>();
  world.api.store.onChange(({ plural, object, previous }) => {
    const isWiped = previous?.status?.['alerts'] !== undefined && object.status?.['alerts'] === undefined;
    if (plural !== 'rolealertpolicies' || !isWiped) return;
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    wipes.set(key, [...(wipes.get(key) ?? []), world.time.nowMs]);
  });
  return wipes;
}
