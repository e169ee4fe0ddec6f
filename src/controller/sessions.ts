// The sessions of all connections: made when a policy or a connection first needs one, ended when neither is left. Whether one
// works is noted in connection-health.ts.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { within } from '../lib/within.ts';
import { policyIntervalMs } from '../plan/schedule.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import type { Catalog } from './catalog.ts';
import { ConnectionHealth } from './connection-health.ts';
import { ConnectionRecorder } from './connection-recorder.ts';
import { Lane, type Shift } from './lane.ts';
import type { StopSignals } from './lift.ts';
import type { AlertsGateway, ClusterPort, EventPort, Observer } from './ports.ts';
import { Session } from './session.ts';

export interface SessionsOptions {
  readonly catalog: Catalog;
  readonly cluster: ClusterPort;
  readonly gateway: AlertsGateway;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly defaultIntervalMs: number;
  readonly work: (session: Session, scope: string, shift: Shift) => Promise<number | undefined>;
}

/** Workers for a connection that does not exist: its policies are only told so. */
const defaultWorkers = 4;

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();
  readonly health: ConnectionHealth;
  /** Those that are being ended, each with its last wish. */
  readonly #ending = new Map<Session, Promise<void>>();
  readonly #stopAsked = new AbortController();
  readonly #stopCut = new AbortController();
  #isStopping = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.health = new ConnectionHealth({
      ...options,
      isCurrent: (session) => !this.#isStopping && this.#sessions.get(session.key) === session,
    });
  }

  all(): Iterable<Session> {
    return this.#sessions.values();
  }

  get(key: string): Session | undefined {
    return this.#sessions.get(key);
  }

  ensure(key: string): Session {
    let session = this.#sessions.get(key);
    if (!session) {
      session = this.#create(key);
      this.#sessions.set(key, session);
    }
    return session;
  }

  /** A connection that is new, or whose spec changed: whatever was held against it no longer counts. */
  renew(connection: RoleAlertConnection, key: string): Session {
    const session = this.ensure(key);
    if (session.recorder.adopt(connection)) session.forgetAll();
    session.standings.renew(connection);
    session.lane.setWorkers(connection.spec.limits.maxConcurrent);
    session.renew();
    return session;
  }

  /**
   * Ends a session whose connection is gone, so that a new one under the same name starts afresh. `lastWish` is done with it
   * before its client is closed, and ends when a stop asks it to.
   */
  async end(key: string, lastWish?: (session: Session, stop: StopSignals) => Promise<void>): Promise<void> {
    const session = this.#sessions.get(key);
    if (!session) return;
    this.#sessions.delete(key);
    this.#options.observer.connectionForgotten(key);
    const ended = (async () => {
      await lastWish?.(session, { asked: this.#stopAsked.signal, cut: this.#stopCut.signal });
      await session.stop(0);
      // What it did until now was counted, too; a new one under its name goes on counting.
      if (!this.#sessions.has(key)) this.#options.observer.connectionForgotten(key);
    })();
    this.#ending.set(session, ended);
    await ended.finally(() => this.#ending.delete(session));
  }

  /** Every scope that policies name through it or its ledger holds. */
  scopesOf(key: string): Set<string> {
    const ledger = this.#sessions.get(key)?.recorder.scopes() ?? new Set<string>();
    return ledger.union(new Set(this.#options.catalog.scopesOf(key)));
  }

  /** Takes no new work, finishes what is under way within `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const stopped = [...this.#sessions.values()].map((session) => session.stop(graceMs));
    await Promise.all([this.#stopEnding(graceMs), ...stopped]);
  }

  async #stopEnding(graceMs: number): Promise<void> {
    const ending = [...this.#ending];
    this.#stopAsked.abort();
    await Promise.all(ending.map(([, ended]) => within(this.#options.clock, graceMs, ended)));
    this.#stopCut.abort();
    await Promise.all(ending.map(async ([session, ended]) => Promise.all([session.stop(0), ended])));
  }

  #create(key: string): Session {
    const { cluster, clock, log, observer, work } = this.#options;
    const gateway = this.#sharedGateway();
    const lane = new Lane({
      clock,
      workers: defaultWorkers,
      work: (scope, shift) => work(session, scope, shift),
    });
    const recorder = new ConnectionRecorder({
      key,
      cluster,
      clock,
      log,
      observer,
      counts: () => this.#counts(key),
      health: () => session.health,
      triedGeneration: () => session.triedGeneration,
    });
    const session: Session = new Session({ key, lane, recorder, gateway, clock });
    return session;
  }

  /** An object that leaves the shard and comes back has a session that ends and one that begins, and one budget. */
  #sharedGateway(): AlertsGateway {
    const { gateway } = this.#options;
    return {
      open: (connection) => gateway.open(connection),
      forget: (uid) => {
        const sessions = [...this.#sessions.values(), ...this.#ending.keys()];
        if (!sessions.some((session) => session.isOpenFor(uid))) gateway.forget(uid);
      },
    };
  }

  #counts(key: string) {
    const scopes = [...this.#options.catalog.scopesOf(key)];
    const perHour = scopes.reduce((sum, scope) => sum + this.#requestsPerHour(key, scope), 0);
    return {
      policies: this.#options.catalog.policyCount(key),
      scopes: scopes.length,
      predictedRequestsPerHour: Math.ceil(perHour),
    };
  }

  #requestsPerHour(key: string, scope: string): number {
    const { catalog, cluster, defaultIntervalMs } = this.#options;
    const connection = cluster.connections.get(key);
    if (!connection) return 0;
    const intervals = [...catalog.policiesAt({ connection: key, scope })].flatMap((policyKey) => {
      const policy = cluster.policies.get(policyKey);
      return policy && !policy.spec.suspend ? [policyIntervalMs(policy, connection, defaultIntervalMs)] : [];
    });
    if (intervals.length === 0) return 0;
    return (3_600_000 / Math.min(...intervals)) * (this.#sessions.get(key)?.pagesOf(scope) ?? 1);
  }
}
