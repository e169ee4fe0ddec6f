// The controller over its ports: which events requeue which scopes, its start and its stop. It has no sockets, clock or
// process of its own; manager/ and the tests provide them.
import { errorFields } from '../lib/errors.ts';
import { deletionOf } from '../policy/deletion.ts';
import type { AnyConnection, NamespaceMetadata, RoleAlertPolicy } from '../policy/resources.ts';
import { namespacedName, type ScopeRef, scopeRefOf } from '../policy/scope-ref.ts';
import { ConnectionRegistry } from './connection/registry.ts';
import { connectionFields, loggedEvents } from './logging.ts';
import type { ClusterPort, ControllerDeps, Observer } from './ports.ts';
import type { Urgency } from './queue/key-queue.ts';
import { isDeniedScope, PolicyIndex, PolicyPlaces, rememberSelections } from './queue/policy-index.ts';
import { servedPolicies, ShardMembership } from './queue/shard.ts';
import { connectionTrigger, isAwaited, policyTrigger, StatusRepairs } from './queue/triggers.ts';
import type { ReconcileDeps } from './scope/gather.ts';
import { reconcile } from './scope/reconcile.ts';

/** A change of an object that a watch reports. */
export interface ObjectChange<T> {
  readonly type: 'added' | 'changed' | 'deleted';
  readonly object: T;
  readonly previous?: T | undefined;
}

const stopGraceMs = 20_000;
/** Delays the counts of a connection after an edit: the edit's own list goes first, and one write shows the edits of a second. */
const countsDelayMs = 1000;

export class Controller {
  readonly #deps: ReconcileDeps;
  readonly #places: PolicyPlaces;
  readonly #registry: ConnectionRegistry;
  readonly #repairs: StatusRepairs;
  #isRunning = false;
  #isStopping = false;

  constructor(deps: ControllerDeps) {
    const { cluster, clock, log } = deps;
    this.#deps = {
      ...deps,
      observer: onlyOfExisting(deps.observer, cluster),
      events: loggedEvents(deps.events, cluster, log),
      policyIndex: new PolicyIndex(({ connection, scope }) => this.#registry.get(connection)?.demand.invalidate(scope)),
      shard: new ShardMembership(cluster, clock),
      selectEntries: rememberSelections(),
      writing: new Map(),
    };
    this.#places = new PolicyPlaces(this.#deps);
    this.#repairs = new StatusRepairs(clock, log);
    this.#registry = new ConnectionRegistry({
      ...this.#deps,
      work: (runtime, scope, item) =>
        reconcile({ deps: this.#deps, runtime, ref: { connection: runtime.key, scope }, ...item }),
    });
  }

  /** Call it once the caches have synced. Reconciles every scope, those first whose status shows drift or an unhandled request. */
  start(): void {
    const { cluster } = this.#deps;
    const policies = [...cluster.policies.list()].sort((a, b) => Number(isAwaited(b)) - Number(isAwaited(a)));
    for (const policy of policies) this.#places.place(policy);
    this.#isRunning = true;
    // Those with a ledger first: the credential may go with the namespace.
    const connections = [...cluster.connections.list()].sort((a, b) => dismissalsOf(b) - dismissalsOf(a));
    for (const connection of connections) this.#serveConnection(connection, 'resync');
    for (const policy of policies) {
      const ref = this.#deps.policyIndex.refOf(namespacedName(policy));
      if (ref) this.#enqueue(ref, 'resync');
    }
  }

  policyChanged(change: ObjectChange<RoleAlertPolicy>): void {
    if (!this.#isRunning) return;
    const key = namespacedName(change.object);
    const before = this.#deps.policyIndex.refOf(key);
    const ref = change.type === 'deleted' ? (before ?? scopeRefOf(change.object)) : this.#places.place(change.object);
    if (change.type === 'deleted') this.#deps.policyIndex.removePolicy(key);
    if (this.#isStopping) return;
    if (change.type === 'deleted') this.#forgetPolicy(key, change.object.metadata.uid, ref);
    const trigger =
      change.type === 'deleted' ? 'edit' : policyTrigger(change.previous, change.object, this.#deps.writing.get(key));
    if (trigger === 'none' || (trigger === 'repair' && this.#isServedByOther(ref.connection))) return;
    if (trigger === 'repair') {
      this.#repairs.changed(change.object, () => this.#enqueue(ref, 'resync'));
      return;
    }
    this.#resetBackoff(ref);
    this.#enqueue(ref, 'edit');
    this.#registry.get(ref.connection)?.statusWriter.refreshWithin(countsDelayMs);
  }

  connectionChanged(change: ObjectChange<AnyConnection>): void {
    if (!this.#isRunning) return;
    const key = namespacedName(change.object);
    if (this.#isStopping) {
      this.#places.connectionChanged(key, change.previous);
      return;
    }
    if (change.type === 'deleted') {
      this.#repairs.forget(change.object.metadata.uid);
      this.#forgetConnection(key);
      return;
    }
    const writer = this.#registry.get(key)?.statusWriter;
    const trigger = connectionTrigger(change.previous, change.object, writer?.own ?? nothingOwn);
    if (trigger === 'edit') this.#applyConnection(change.object, 'edit', change.previous);
    if (trigger === 'repair') this.#repairConnection(change.object, key);
  }

  /** A changed label or a deletion may change what the policies of the namespace are granted. */
  namespaceChanged({ type, object, previous }: ObjectChange<NamespaceMetadata>): void {
    if (!this.#isRunning) return;
    const now = type === 'deleted' ? undefined : object;
    const regranted = this.#places.namespaceChanged(object.metadata.name, previous, now);
    if (this.#isStopping) return;
    for (const ref of regranted) {
      this.#resetBackoff(ref);
      this.#enqueue(ref, 'edit');
      this.#registry.get(ref.connection)?.statusWriter.refresh();
    }
    // Once the namespace is being deleted, the credentials of its connections may go before the connections.
    if (previous?.metadata.deletionTimestamp === now?.metadata.deletionTimestamp) return;
    for (const connection of this.#deps.cluster.connections.list())
      if (connection.metadata.namespace === object.metadata.name) this.#serveConnection(connection, 'edit');
  }

  /** Due work items and busy workers, summed over all connections. */
  load(): { depth: number; active: number } {
    let [depth, active] = [0, 0];
    for (const { workQueue } of this.#registry.all()) {
      depth += workQueue.keys.depth;
      active += workQueue.active;
    }
    return { depth, active };
  }

  /** For metrics: the policies and connections that this process serves, none before its start. */
  servedPolicies(): Iterable<RoleAlertPolicy> {
    return this.#isRunning ? servedPolicies(this.#deps.cluster) : [];
  }

  servedConnections(): Iterable<AnyConnection> {
    return this.#isRunning ? this.#deps.cluster.connections.list() : [];
  }

  /** True while the connection with this key, or its namespace, is being deleted. */
  isBeingDeleted(key: string): boolean {
    const { connections, namespaces } = this.#deps.cluster;
    const connection = connections.get(key);
    return (
      connection !== undefined && deletionOf(connection, namespaces.get(connection.metadata.namespace ?? '')) !== 'None'
    );
  }

  /** When the oldest write was sent through the connection that no list has verified; milliseconds since 1970. */
  unverifiedSinceMs(connection: AnyConnection): number | undefined {
    return this.#registry.get(namespacedName(connection))?.unverifiedSinceMs();
  }

  /**
   * Takes no new work and finishes running work within 20 seconds, PATCH and verification included; 0 aborts it at
   * once. The index of policies still follows the caches: running work sends only what the objects want by then.
   */
  async stop(graceMs = stopGraceMs): Promise<void> {
    this.#isStopping = true;
    this.#repairs.stop();
    await this.#registry.stop(graceMs);
  }

  /** Handles a new connection or a changed spec, which may grant its policies something else. */
  #applyConnection(connection: AnyConnection, urgency: Urgency, previous?: AnyConnection): void {
    const regranted = this.#places.connectionChanged(namespacedName(connection), previous);
    this.#serveConnection(connection, urgency, new Set(regranted.map(({ scope }) => scope)));
  }

  /**
   * Reconciles all scopes of the connection, whose policies are placed already. `regranted`: the scopes whose policies are granted
   * something else.
   */
  #serveConnection(connection: AnyConnection, urgency: Urgency, regranted: ReadonlySet<string> = new Set()): void {
    const key = namespacedName(connection);
    const runtime = this.#registry.applySpec(connection, key);
    const namespace = this.#deps.cluster.namespaces.get(connection.metadata.namespace ?? '');
    runtime.statusWriter.abandonment.follow(deletionOf(connection, namespace) === 'Namespace');
    const scopes = this.#registry.scopesOf(key);
    for (const scope of scopes) runtime.step(scope, { kind: 'ConnectionChanged' });
    runtime.statusWriter.refresh();
    // Only the first scope gets edit priority, and those that a changed entry of `access` concerns: one list shows whether the
    // connection works, and the rest must not delay user edits.
    const first = [...scopes].find((scope) => !isDeniedScope(scope));
    for (const scope of scopes.union(regranted))
      this.#enqueue({ connection: key, scope }, scope === first || regranted.has(scope) ? urgency : 'resync');
  }

  #forgetPolicy(key: string, uid: string, { connection, scope }: ScopeRef): void {
    this.#repairs.forget(uid);
    this.#registry.get(connection)?.disown(scope, key);
    if (!this.#isNeeded(connection)) void this.#registry.end(connection);
  }

  #forgetConnection(key: string): void {
    this.#places.connectionChanged(key);
    this.#registry
      .end(key)
      .catch((error: unknown) =>
        this.#deps.log.error({ ...connectionFields(key), ...errorFields(error) }, 'connection not closed'),
      );
    for (const scope of this.#deps.policyIndex.scopesOf(key)) this.#enqueue({ connection: key, scope }, 'edit');
  }

  /** True for a connection of another shard, which writes the statuses of its policies. */
  #isServedByOther(connection: string): boolean {
    return this.#deps.shard.isSharded && !this.#deps.cluster.connections.get(connection);
  }

  /** A spec change or a reconcile request resets the back-off but not the rate limiter. */
  #resetBackoff({ connection, scope }: ScopeRef): void {
    this.#registry.get(connection)?.step(scope, { kind: 'Edited' });
  }

  #repairConnection(connection: AnyConnection, key: string): void {
    for (const scope of this.#registry.get(key)?.statusWriter.adopt(connection) ?? [])
      this.#enqueue({ connection: key, scope }, 'resync');
    this.#repairs.changed(connection, () => this.#registry.get(key)?.statusWriter.refresh());
  }

  /**
   * Enqueues the scope if its connection has a runtime or needs one. A reconcile skips a scope without policies and
   * dismissals before any request.
   */
  #enqueue({ connection, scope }: ScopeRef, urgency: Urgency): void {
    const runtime = this.#isNeeded(connection) ? this.#registry.ensure(connection) : this.#registry.get(connection);
    runtime?.workQueue.add(scope, urgency);
  }

  /** True while the connection exists or a policy references it. */
  #isNeeded(connection: string): boolean {
    return (
      this.#deps.policyIndex.policyCount(connection) > 0 || this.#deps.cluster.connections.get(connection) !== undefined
    );
  }
}

const nothingOwn = { writing: undefined, isHeld: false };
const dismissalsOf = ({ status }: AnyConnection) => status?.dismissalCount ?? 0;

/**
 * Wraps `observer`; ignores connections that are not in the cache: a reconcile may end after their deletion, and a series that it began would
 * remain.
 */
export function onlyOfExisting(observer: Observer, { connections }: ClusterPort): Observer {
  const isConnection = (key: string) => connections.get(key) !== undefined;
  return {
    ...observer,
    actionEnded: (...facts) => isConnection(facts[0]) && observer.actionEnded(...facts),
    correctionSeen: (...facts) => isConnection(facts[0]) && observer.correctionSeen(...facts),
    connectionSeen: (...facts) => isConnection(facts[0]) && observer.connectionSeen(...facts),
    roundCompleted: (key) => isConnection(key) && observer.roundCompleted(key),
  };
}
