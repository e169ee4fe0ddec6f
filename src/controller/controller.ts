// The operator as a whole, over its ports: which events touch which scopes, and its start and stop. It owns no sockets, no
// clock and no process; manager/ gives it those, the tests give it others.
import type { Clock } from '../lib/clock.ts';
import { CodedError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../policy/resources.ts';
import { ConnectionRegistry } from './connection-registry.ts';
import type { ConnectionRuntime } from './connection-runtime.ts';
import type { Urgency } from './key-queue.ts';
import { onlyOfExisting } from './living-series.ts';
import { Neighbours } from './neighbours.ts';
import { namespacedName, PolicyIndex, type ScopeRef, scopeRefOf } from './policy-index.ts';
import type { AlertClientFactory, ClusterPort, EventPort, Observer } from './ports.ts';
import { reconcile } from './reconcile.ts';
import { type ReleaseDeps, releaseDismissals } from './release-dismissals.ts';
import { ShardMembership } from './shard.ts';
import { connectionTrigger, policyTrigger } from './triggers.ts';

export interface ControllerDeps {
  readonly cluster: ClusterPort;
  readonly clientFactory: AlertClientFactory;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly isReadOnly: boolean;
  /** For policies without one of their own. */
  readonly defaultIntervalMs: number;
  /** False while this process must not write to the service. */
  readonly mayWrite: () => boolean;
}

/** A change of an object as a watch tells it. */
export interface ObjectChange<T> {
  readonly type: 'added' | 'changed' | 'deleted';
  readonly object: T;
  readonly previous?: T | undefined;
}

const stopGraceMs = 20_000;
/** Two who write one status must not answer each other as fast as they can. */
const repairDelayMs = 1000;

export class Controller {
  readonly #options: ControllerDeps;
  readonly #policyIndex = new PolicyIndex();
  readonly #shard: ShardMembership;
  readonly #registry: ConnectionRegistry;
  readonly #neighbours: Neighbours;
  readonly #writing = new Map<string, RoleAlertPolicyStatus>();
  #isRunning = false;
  #isStopping = false;

  constructor(options: ControllerDeps) {
    this.#options = { ...options, observer: onlyOfExisting(options.observer, options.cluster) };
    const { cluster, clientFactory, events, observer, clock, random, log, defaultIntervalMs } = this.#options;
    this.#shard = new ShardMembership(cluster, clock);
    this.#registry = new ConnectionRegistry({
      policyIndex: this.#policyIndex,
      cluster,
      clientFactory,
      events,
      observer,
      clock,
      random,
      log,
      defaultIntervalMs,
      work: (runtime, scope, item) =>
        reconcile({ deps: this.#reconcileDeps(), runtime, ref: { connection: runtime.key, scope }, ...item }),
    });
    this.#neighbours = new Neighbours({
      policyIndex: this.#policyIndex,
      clock,
      runtimeOf: (key) => this.#registry.get(key),
      scopesOf: (key) => this.#registry.scopesOf(key),
    });
  }

  /** Call once the caches have synced: from here on every scope is reconciled. */
  start(): void {
    const { cluster } = this.#options;
    for (const policy of cluster.policies.list())
      this.#policyIndex.setPolicy(namespacedName(policy), scopeRefOf(policy));
    this.#isRunning = true;
    for (const connection of cluster.connections.list()) this.#connectionAdded(connection, 'resync');
    for (const policy of cluster.policies.list()) this.#enqueue(scopeRefOf(policy), 'resync');
  }

  policyChanged(change: ObjectChange<RoleAlertPolicy>): void {
    if (!this.#isRunning || this.#isStopping) return;
    const key = namespacedName(change.object);
    const ref = scopeRefOf(change.object);
    if (change.type === 'deleted') this.#forgetPolicy(key, ref);
    else this.#policyIndex.setPolicy(key, ref);
    const trigger =
      change.type === 'deleted' ? 'edit' : policyTrigger(change.previous, change.object, this.#writing.get(key));
    if (trigger === 'none' || (trigger === 'repair' && this.#isServedByOther(ref.connection))) return;
    if (trigger === 'repair') {
      this.#registry.ensure(ref.connection).workQueue.add(ref.scope, 'resync', repairDelayMs);
      return;
    }
    this.#resetBackoff(ref);
    this.#enqueue(ref, 'edit');
    this.#neighbours.policyChanged(ref);
    this.#registry.get(ref.connection)?.statusWriter.refresh();
  }

  connectionChanged(change: ObjectChange<RoleAlertConnection>): void {
    if (!this.#isRunning || this.#isStopping) return;
    const key = namespacedName(change.object);
    if (change.type === 'deleted') {
      this.#forgetConnection(key, change.object);
      return;
    }
    const trigger = connectionTrigger(change.previous, change.object);
    if (trigger === 'edit') this.#connectionAdded(change.object, 'edit');
    if (trigger === 'repair') this.#repairLater(key);
  }

  /** Depth of the work queue and busy workers over all connections. */
  load(): { depth: number; active: number } {
    let [depth, active] = [0, 0];
    for (const { workQueue } of this.#registry.all()) {
      depth += workQueue.depth;
      active += workQueue.active;
    }
    return { depth, active };
  }

  /** Takes no new work and finishes what is under way, PATCH and verification included, within 20 seconds; with 0 it is cut off. */
  async stop(graceMs = stopGraceMs): Promise<void> {
    this.#isStopping = true;
    await this.#registry.stop(graceMs);
  }

  #reconcileDeps() {
    const { defaultIntervalMs, cluster, events, observer, clock, random, log, isReadOnly } = this.#options;
    return {
      policyIndex: this.#policyIndex,
      cluster,
      shard: this.#shard,
      events,
      observer,
      clock,
      random,
      log,
      isReadOnly,
      defaultIntervalMs,
      writing: this.#writing,
      neighbours: this.#neighbours,
      checkMayWrite: () => {
        if (!this.#options.mayWrite()) throw notLeading();
      },
      noteHealth: this.#registry.health.note.bind(this.#registry.health),
    };
  }

  /** The connection is new or its spec changed: every scope of it is reconciled, and by others where its policies had a say. */
  #connectionAdded(connection: RoleAlertConnection, urgency: Urgency): void {
    const key = namespacedName(connection);
    const before = this.#policyIndex.connectionsToSameEndpoint(key);
    const proven = this.#registry.get(key)?.standings.proven() ?? [];
    this.#policyIndex.setConnection(connection);
    const runtime = this.#registry.renew(connection, key);
    const scopes = this.#registry.scopesOf(key);
    for (const scope of scopes) runtime.step(scope, { kind: 'ConnectionChanged' });
    runtime.statusWriter.refresh();
    // One reconcile shows whether the connection works; a thousand must not stand before somebody's policy.
    const [first] = scopes;
    for (const scope of scopes) this.#enqueue({ connection: key, scope }, scope === first ? urgency : 'resync');
    this.#neighbours.connectionChanged(key, { before, proven, scopes });
  }

  #forgetPolicy(key: string, { connection, scope }: ScopeRef): void {
    this.#policyIndex.removePolicy(key);
    this.#registry.get(connection)?.disown(scope, key);
    this.#options.observer.policyForgotten(key);
    if (!this.#isNeeded(connection)) void this.#registry.end(connection);
  }

  #forgetConnection(key: string, connection: RoleAlertConnection): void {
    const connectionsToSameEndpoint = this.#policyIndex.connectionsToSameEndpoint(key);
    const scopes = [...this.#policyIndex.scopesOf(key)];
    const proven = this.#registry.get(key)?.standings.proven() ?? [];
    this.#policyIndex.removeConnection(key);
    this.#neighbours.connectionChanged(key, { before: connectionsToSameEndpoint, proven, scopes });
    const requeue = () => {
      for (const scope of scopes) this.#enqueueForEndpoint([key], scope, 'edit');
    };
    const ended = this.#registry.end(key, async (runtime, stop) => {
      await this.#drain(runtime);
      requeue();
      await releaseDismissals(this.#reactivationDeps(), runtime, connection, stop);
    });
    ended.catch((err: unknown) => this.#options.log.error({ connection: key, err }, 'connection not closed'));
  }

  #enqueueForEndpoint(connections: readonly string[], scope: string, urgency: Urgency): void {
    if (this.#isStopping) return;
    for (const connection of connections) this.#enqueue({ connection, scope }, urgency);
  }

  /** A PATCH that is under way ends first, so that what is listed afterwards shows it. In a shard another process may be at work. */
  async #drain(runtime: ConnectionRuntime): Promise<void> {
    await runtime.workQueue.stop(this.#shard.isSharded ? 0 : stopGraceMs);
  }

  /** Whoever serves a connection of another shard writes the statuses of its policies. */
  #isServedByOther(connection: string): boolean {
    return this.#shard.isSharded && !this.#options.cluster.connections.get(connection);
  }

  #reactivationDeps(): ReleaseDeps {
    const deps = this.#reconcileDeps();
    return {
      ...deps,
      runtimeOf: (connection) => this.#registry.get(connection),
      requeue: (connections, scope) => this.#enqueueForEndpoint(connections, scope, 'resync'),
    };
  }

  /** A spec change or a reconcile request resets the back-off, not the rate limiter. */
  #resetBackoff({ connection, scope }: ScopeRef): void {
    this.#registry.get(connection)?.step(scope, { kind: 'Edited' });
  }

  #repairLater(connection: string): void {
    this.#options.clock.setTimer(repairDelayMs, () => {
      if (!this.#isStopping) this.#registry.get(connection)?.statusWriter.refresh();
    });
  }

  /** A scope where nobody has anything to say is skipped by its reconcile, before any request. */
  #enqueue({ connection, scope }: ScopeRef, urgency: Urgency): void {
    const runtime = this.#isNeeded(connection) ? this.#registry.ensure(connection) : this.#registry.get(connection);
    runtime?.workQueue.add(scope, urgency);
  }

  /** The last policy of a connection that does not exist leaves nothing to keep. */
  #isNeeded(connection: string): boolean {
    return (
      this.#policyIndex.policyCount(connection) > 0 || this.#options.cluster.connections.get(connection) !== undefined
    );
  }
}

/** Not `stopped`: the API server may be slow for a moment, and what could not be written now is due again soon. */
function notLeading(): CodedError {
  return new CodedError('kube-unreachable', 'This process may not write now.', { reason: 'NotLeading' });
}
