// The operator as a whole, over its ports: which events touch which scopes, and its start and stop. It owns no sockets, no
// clock and no process; cli/ gives it those, the tests give it others.
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../policy/resources.ts';
import { Catalog, objectKey, type ScopeRef, scopeRefOf } from './catalog.ts';
import { liftConnection, type LiftConnectionTools } from './lift-connection.ts';
import { onlyOfExisting } from './living-series.ts';
import { Neighbours } from './neighbours.ts';
import type { AlertsGateway, ClusterPort, EventPort, Observer } from './ports.ts';
import type { Urgency } from './queue.ts';
import { reconcile } from './reconcile.ts';
import type { Session } from './session.ts';
import { Sessions } from './sessions.ts';
import { Strangers } from './strangers.ts';
import { connectionTrigger, policyTrigger } from './triggers.ts';

export interface OperatorOptions {
  readonly cluster: ClusterPort;
  readonly gateway: AlertsGateway;
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

export class Operator {
  readonly #options: OperatorOptions;
  readonly #catalog = new Catalog();
  readonly #strangers: Strangers;
  readonly #sessions: Sessions;
  readonly #neighbours: Neighbours;
  readonly #writing = new Map<string, RoleAlertPolicyStatus>();
  #isRunning = false;
  #isStopping = false;

  constructor(options: OperatorOptions) {
    this.#options = { ...options, observer: onlyOfExisting(options.observer, options.cluster) };
    const { cluster, gateway, events, observer, clock, random, log, defaultIntervalMs } = this.#options;
    this.#strangers = new Strangers(cluster, clock);
    this.#sessions = new Sessions({
      catalog: this.#catalog,
      cluster,
      gateway,
      events,
      observer,
      clock,
      random,
      log,
      defaultIntervalMs,
      work: (session, scope, shift) =>
        reconcile({ tools: this.#reconcileDeps(), session, ref: { connection: session.key, scope }, ...shift }),
    });
    this.#neighbours = new Neighbours({
      catalog: this.#catalog,
      clock,
      sessionOf: (key) => this.#sessions.get(key),
      scopesOf: (key) => this.#sessions.scopesOf(key),
    });
  }

  /** Call once the caches have synced: from here on every scope is looked at. */
  start(): void {
    const { cluster } = this.#options;
    for (const policy of cluster.policies.list()) this.#catalog.setPolicy(objectKey(policy), scopeRefOf(policy));
    this.#isRunning = true;
    for (const connection of cluster.connections.list()) this.#adopt(connection, 'resync');
    for (const policy of cluster.policies.list()) this.#enqueue(scopeRefOf(policy), 'resync');
  }

  policyChanged(change: ObjectChange<RoleAlertPolicy>): void {
    if (!this.#isRunning || this.#isStopping) return;
    const key = objectKey(change.object);
    const ref = scopeRefOf(change.object);
    if (change.type === 'deleted') this.#forgetPolicy(key, ref);
    else this.#catalog.setPolicy(key, ref);
    const trigger =
      change.type === 'deleted' ? 'edit' : policyTrigger(change.previous, change.object, this.#writing.get(key));
    if (trigger === 'none' || (trigger === 'repair' && this.#isStranger(ref.connection))) return;
    if (trigger === 'repair') {
      this.#sessions.ensure(ref.connection).lane.add(ref.scope, 'resync', repairDelayMs);
      return;
    }
    this.#forgiveFailures(ref);
    this.#enqueue(ref, 'edit');
    this.#neighbours.policyChanged(ref);
    this.#sessions.get(ref.connection)?.recorder.refresh();
  }

  connectionChanged(change: ObjectChange<RoleAlertConnection>): void {
    if (!this.#isRunning || this.#isStopping) return;
    const key = objectKey(change.object);
    if (change.type === 'deleted') {
      this.#forgetConnection(key, change.object);
      return;
    }
    const trigger = connectionTrigger(change.previous, change.object);
    if (trigger === 'edit') this.#adopt(change.object, 'edit');
    if (trigger === 'repair') this.#repairLater(key);
  }

  /** Depth of the work queue and busy workers over all connections. */
  load(): { depth: number; active: number } {
    let [depth, active] = [0, 0];
    for (const { lane } of this.#sessions.all()) {
      depth += lane.depth;
      active += lane.active;
    }
    return { depth, active };
  }

  /** Takes no new work and finishes what is under way, PATCH and verification included, within 20 seconds; with 0 it is cut off. */
  async stop(graceMs = stopGraceMs): Promise<void> {
    this.#isStopping = true;
    await this.#sessions.stop(graceMs);
  }

  #reconcileDeps() {
    const { defaultIntervalMs, cluster, events, observer, clock, random, log, isReadOnly } = this.#options;
    return {
      catalog: this.#catalog,
      cluster,
      strangers: this.#strangers,
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
        if (!this.#options.mayWrite()) throw mayNotWrite();
      },
      noteHealth: this.#sessions.health.note.bind(this.#sessions.health),
    };
  }

  /** The connection is new or its spec changed: every scope of it is reconciled, and by others where its policies had a say. */
  #adopt(connection: RoleAlertConnection, urgency: Urgency): void {
    const key = objectKey(connection);
    const before = this.#catalog.siblings(key);
    const proven = this.#sessions.get(key)?.standings.proven() ?? [];
    this.#catalog.setConnection(connection);
    const session = this.#sessions.renew(connection, key);
    const scopes = this.#sessions.scopesOf(key);
    for (const scope of scopes) session.step(scope, { kind: 'ConnectionChanged' });
    session.recorder.refresh();
    // One look shows whether the connection works; a thousand must not stand before somebody's policy.
    const [first] = scopes;
    for (const scope of scopes) this.#enqueue({ connection: key, scope }, scope === first ? urgency : 'resync');
    this.#neighbours.connectionChanged(key, { before, proven, scopes });
  }

  #forgetPolicy(key: string, { connection, scope }: ScopeRef): void {
    this.#catalog.removePolicy(key);
    this.#sessions.get(connection)?.disown(scope, key);
    this.#options.observer.policyForgotten(key);
    if (!this.#isNeeded(connection)) void this.#sessions.end(connection);
  }

  #forgetConnection(key: string, connection: RoleAlertConnection): void {
    const siblings = this.#catalog.siblings(key);
    const scopes = [...this.#catalog.scopesOf(key)];
    const proven = this.#sessions.get(key)?.standings.proven() ?? [];
    this.#catalog.removeConnection(key);
    this.#neighbours.connectionChanged(key, { before: siblings, proven, scopes });
    const announce = () => {
      for (const scope of scopes) this.#enqueueAll([key], scope, 'edit');
    };
    const ended = this.#sessions.end(key, async (session, stop) => {
      await this.#leave(session);
      announce();
      await liftConnection(this.#liftTools(), session, connection, stop);
    });
    ended.catch((err: unknown) => this.#options.log.error({ connection: key, err }, 'connection not closed'));
  }

  #enqueueAll(connections: readonly string[], scope: string, urgency: Urgency): void {
    if (this.#isStopping) return;
    for (const connection of connections) this.#enqueue({ connection, scope }, urgency);
  }

  /** A PATCH that is under way ends first, so that what is listed afterwards shows it. In a shard another process may be at work. */
  async #leave(session: Session): Promise<void> {
    await session.lane.stop(this.#strangers.isShard ? 0 : stopGraceMs);
  }

  /** Whoever serves a connection of another shard writes the statuses of its policies. */
  #isStranger(connection: string): boolean {
    return this.#strangers.isShard && !this.#options.cluster.connections.get(connection);
  }

  #liftTools(): LiftConnectionTools {
    const tools = this.#reconcileDeps();
    return {
      ...tools,
      sessionOf: (connection) => this.#sessions.get(connection),
      reconcile: (connections, scope) => this.#enqueueAll(connections, scope, 'resync'),
    };
  }

  /** A spec change or a poke takes back the back-off, not the budget. */
  #forgiveFailures({ connection, scope }: ScopeRef): void {
    this.#sessions.get(connection)?.step(scope, { kind: 'Edited' });
  }

  #repairLater(connection: string): void {
    this.#options.clock.setTimer(repairDelayMs, () => {
      if (!this.#isStopping) this.#sessions.get(connection)?.recorder.refresh();
    });
  }

  /** A scope where nobody has anything to say is skipped by its pass, before any request. */
  #enqueue({ connection, scope }: ScopeRef, urgency: Urgency): void {
    const session = this.#isNeeded(connection) ? this.#sessions.ensure(connection) : this.#sessions.get(connection);
    session?.lane.add(scope, urgency);
  }

  /** The last policy of a connection that does not exist leaves nothing to keep. */
  #isNeeded(connection: string): boolean {
    return this.#catalog.policyCount(connection) > 0 || this.#options.cluster.connections.get(connection) !== undefined;
  }
}

/** Not `stopped`: the API server may be slow for a moment, and what could not be written now is due again soon. */
function mayNotWrite(): OperatorError {
  return new OperatorError('kube-unreachable', 'This process may not write now.', { reason: 'NotLeading' });
}
