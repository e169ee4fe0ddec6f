// No request through a ClusterRoleAlertConnection outside its grants, written from the specified behaviour: it shares no line with
// the operator. A list or an activation may rest on what the process may still take for true; a deactivation was confirmed at the
// API server, so the truth of the last half minute counts.
import { keyOfCaller } from '../alerts/callers.ts';
import type { Known } from '../knowledge.ts';
import { keyOf, type StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { Sending } from '../sending.ts';
import type { World } from '../world.ts';
import { entriesFor } from './granted.ts';
import type { Oracle } from './oracle.ts';

/** From the confirmation to the send: the scope may be listed once more in between. */
const confirmedMs = 30_000;
/** A request that waits is asked for again in the tick of its send; only its way to the socket is left. */
const onItsWayMs = 1000;
/** An entry of the ledger counts for a while after its end: what it asked for is verified. */
const ledgerMs = 180_000;
/** How long a cache without any event may lag. */
const unknownMs = 300_000;

export const accessOracle: Oracle = {
  name: 'no request outside the grants',
  watch(world, report) {
    const facts: Facts = {
      world,
      policies: new Versions(world, 'rolealertpolicies'),
      connections: new Versions(world, 'clusterrolealertconnections'),
      namespaces: new Versions(world, 'namespaces'),
    };
    world.judges.push((sending) => {
      const { caller, kind, process, scope, alert, isActive } = sending;
      if (caller === undefined || (kind !== 'list' && kind !== 'patch')) return undefined;
      const key = keyOfCaller(caller);
      if (!key.startsWith('/') || isAllowed(facts, sending, key.slice(1))) return undefined;
      const what = kind === 'list' ? 'listed' : `turned ${alert} ${String(isActive)} at`;
      return () => report(`${process} ${what} ${scope} through ${key}`);
    });
  },
};

interface Facts {
  readonly world: World;
  readonly policies: Versions;
  readonly connections: Versions;
  readonly namespaces: Versions;
}

interface Version {
  readonly fromMs: number;
  toMs: number;
  readonly object: StoredObject;
}

/** Every version of every object of one kind. */
class Versions {
  readonly #versions = new Map<string, Version[]>();
  readonly #plural: string;

  constructor(world: World, plural: string) {
    this.#plural = plural;
    for (const object of world.api.store.list(plural)) this.#begin(object, world.time.nowMs);
    world.api.store.onChange((change) => {
      if (change.plural !== plural) return;
      const last = this.#versions.get(keyOf(change.object))?.at(-1);
      if (last?.toMs === Infinity) last.toMs = world.time.nowMs;
      if (change.type !== 'DELETED') this.#begin(change.object, world.time.nowMs);
    });
  }

  keys(): string[] {
    return [...this.#versions.keys()];
  }

  during(fromMs: number, toMs: number, key: string): StoredObject[] {
    const versions = this.#versions.get(key) ?? [];
    return versions.filter((each) => each.fromMs <= toMs && each.toMs >= fromMs).map(({ object }) => object);
  }

  /** What a process may still take for true: nothing older than its cache. What it read besides counts for deactivations only. */
  believable(world: World, process: string, key: string, nowMs: number): StoredObject[] {
    const known: Known | undefined = world.knowledge.cached(process, this.#plural, key, nowMs);
    const versions = (this.#versions.get(key) ?? []).filter(({ fromMs }) => fromMs <= nowMs);
    return versions
      .filter(({ toMs, object }) => {
        if (!known) return toMs > nowMs - unknownMs;
        const version = Number(object.metadata.resourceVersion);
        const isNewer = known.isDeleted ? version > known.version : version >= known.version;
        // It may have learned of a newer version while the request was on its way.
        return isNewer || (known.atMs > nowMs - onItsWayMs && toMs > nowMs - unknownMs);
      })
      .map(({ object }) => object);
  }

  #begin(object: StoredObject, fromMs: number): void {
    const versions = this.#versions.get(keyOf(object)) ?? [];
    versions.push({ fromMs, toMs: Infinity, object });
    this.#versions.set(keyOf(object), versions);
  }
}

function isAllowed(facts: Facts, sending: Sending, connection: string): boolean {
  const { world, policies, connections, namespaces } = facts;
  const { process, atMs, isActive, scope, alert } = sending;
  const isDeactivation = isActive === false;
  const of = (versions: Versions, key: string) =>
    isDeactivation ? versions.during(atMs - confirmedMs, atMs, key) : versions.believable(world, process, key, atMs);
  const granting = of(connections, connection);
  if (!isDeactivation && hasEntry(connections.during(atMs - ledgerMs, atMs, connection), scope)) return true;
  return policies.keys().some((key) => {
    const [namespace = ''] = key.split('/');
    const labels = of(namespaces, namespace).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return of(policies, key).some(
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
  return kind === 'ClusterRoleAlertConnection' && name === connection && same(String(spec['scope']), scope);
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
