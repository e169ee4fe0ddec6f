// No request through a ClusterRoleAlertConnection outside its grants, written from the specified behaviour: it shares no line with
// the operator. A list or an activation may rest on what the process may still take for true; a deactivation was confirmed at the
// API server, so the truth of the last half minute counts.
import { keyOfCaller } from '../alerts/callers.ts';
import type { Known } from '../knowledge.ts';
import { storeKey } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { Sending } from '../sending.ts';
import type { World } from '../world.ts';
import { entriesFor } from './granted.ts';
import { History, unknownMs, type Version } from './history.ts';
import type { Oracle } from './oracle.ts';

/** From the confirmation to the send: the scope may be listed once more in between. */
const confirmedMs = 30_000;
/** A request that waits is asked for again in the tick of its send; only its way to the socket is left. */
const onItsWayMs = 1000;
/** An entry of the ledger counts for a while after its end: what it asked for is verified. */
const ledgerMs = 180_000;

export const accessOracle: Oracle = {
  name: 'no request outside the grants',
  watch(world, report) {
    const facts: Facts = {
      world,
      policies: new History(world, 'rolealertpolicies'),
      connections: new History(world, 'clusterrolealertconnections'),
      namespaces: new History(world, 'namespaces'),
    };
    world.judges.push((sending) => {
      const { caller, kind, process, scope, alert, isActive } = sending;
      if (caller === undefined || (kind !== 'list' && kind !== 'patch')) return undefined;
      const key = keyOfCaller(caller);
      if (!key.startsWith('/') || isAllowed(facts, sending, key)) return undefined;
      const what = kind === 'list' ? 'listed' : `turned ${alert} ${String(isActive)} at`;
      return () => report(`${process} ${what} ${scope} through ${key}`);
    });
  },
};

interface Facts {
  readonly world: World;
  readonly policies: History;
  readonly connections: History;
  readonly namespaces: History;
}

/** What a process may still take for true: nothing older than its cache. What it read besides counts for deactivations only. */
function believable(versions: readonly Version[], known: Known | undefined, nowMs: number): StoredObject[] {
  return versions
    .filter(({ fromMs, toMs, object }) => {
      if (fromMs > nowMs) return false;
      if (!known) return toMs > nowMs - unknownMs;
      const version = Number(object.metadata.resourceVersion);
      const isNewer = known.isDeleted ? version > known.version : version >= known.version;
      // It may have learned of a newer version while the request was on its way.
      return isNewer || (known.atMs > nowMs - onItsWayMs && toMs > nowMs - unknownMs);
    })
    .map(({ object }) => object);
}

function isAllowed(facts: Facts, sending: Sending, connection: string): boolean {
  const { world, policies, connections, namespaces } = facts;
  const { process, atMs, isActive, scope, alert } = sending;
  const isDeactivation = isActive === false;
  const of = (history: History, plural: string, key: string) =>
    isDeactivation
      ? history.during(atMs - confirmedMs, atMs, key)
      : believable(history.versions(key), world.knowledge.cached(process, plural, storeKey(key), atMs), atMs);
  const granting = of(connections, 'clusterrolealertconnections', connection);
  if (!isDeactivation && hasEntry(connections.during(atMs - ledgerMs, atMs, connection), scope)) return true;
  return policies.keys().some((key) => {
    const [namespace = ''] = key.split('/');
    const labels = of(namespaces, 'namespaces', `/${namespace}`).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    return of(policies, 'rolealertpolicies', key).some(
      (policy) =>
        refersTo(policy, connection, scope) &&
        (!isDeactivation || declaresInactive(policy, alert)) &&
        labels.some(({ metadata }) =>
          granting.some((object) => grants(object, metadata.labels ?? {}, scope, { isActive })),
        ),
    );
  });
}

function hasEntry(connections: readonly StoredObject[], scope: string): boolean {
  return connections.some(({ status = {} }) =>
    ((status['dismissals'] ?? []) as readonly Json[]).some((entry) => same(String(entry['scope']), scope)),
  );
}

function refersTo({ spec = {} }: StoredObject, connection: string, scope: string): boolean {
  const { kind, name } = spec['connectionRef'] as Json;
  return (
    kind === 'ClusterRoleAlertConnection' && `/${String(name)}` === connection && same(String(spec['scope']), scope)
  );
}

function declaresInactive({ spec = {} }: StoredObject, alert: string): boolean {
  const lines = (spec['alerts'] ?? []) as readonly Json[];
  return lines.some(({ name, state }) => state === 'Inactive' && same(String(name), alert));
}

/** One entry has to allow all of it. */
function grants(
  connection: StoredObject,
  labels: Readonly<Record<string, string>>,
  scope: string,
  { isActive }: { readonly isActive: boolean | undefined },
): boolean {
  if (isActive === false && connection.spec?.['deactivation'] !== 'Allow') return false;
  return entriesFor(connection, labels, scope).some((entry) => {
    if (isActive === undefined) return true;
    return entry['maxMode'] === 'Enforce' && (isActive || entry['deactivation'] === 'Allow');
  });
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
