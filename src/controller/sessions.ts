// The sessions of all connections: made when a policy or a connection first needs one, ended when neither is left. Here a
// connection's health is noted, its scopes are held back while it cannot be used, and let go when it works again.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { within } from '../lib/within.ts';
import { connectionEvent } from '../plan/connection-status.ts';
import type { LookFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';
import { policyIntervalMs, slowDelayMs } from '../plan/schedule.ts';
import { connectionKind, groupVersion, type RoleAlertConnection } from '../policy/resources.ts';
import type { Catalog } from './catalog.ts';
import { ConnectionRecorder } from './connection-recorder.ts';
import { Lane } from './lane.ts';
import type { AlertsGateway, ClusterPort, EventPort, Observer } from './ports.ts';
import type { Urgency } from './queue.ts';
import { Session } from './session.ts';

export interface SessionsOptions {
  readonly catalog: Catalog;
  readonly cluster: ClusterPort;
  readonly gateway: AlertsGateway;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly defaultIntervalMs: number;
  readonly work: (
    session: Session,
    scope: string,
    urgency: Urgency,
    signal: AbortSignal,
  ) => Promise<number | undefined>;
}

/** Workers for a connection that does not exist: its policies are only told so. */
const defaultWorkers = 4;
const credentialProbeMs = 30_000;
/** Looks that fail in a row before the connection counts as unreachable; fewer when it has fewer scopes. */
const unreachableInRow = 5;

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();
  /** Those that are being ended, each with its last wish. */
  readonly #ending = new Map<Session, Promise<void>>();
  #isStopping = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
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
    session.recorder.adopt(connection);
    session.lane.setWorkers(connection.spec.limits.maxConcurrent);
    session.open();
    return session;
  }

  /**
   * Ends a session whose connection is gone, so that a new one under the same name starts afresh. `lastWish` is done with it
   * before its client is closed.
   */
  async end(key: string, lastWish?: (session: Session) => Promise<void>): Promise<void> {
    const session = this.#sessions.get(key);
    if (!session) return;
    this.#sessions.delete(key);
    this.#options.observer.connectionForgotten(key);
    const ended = (async () => {
      await lastWish?.(session);
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

  /** `failure` is undefined after a whole list. */
  noteHealth(session: Session, failure: LookFailure | undefined, intervalMs: number): void {
    const before = session.health;
    const health = this.#healthAfter(session, failure);
    session.health = health;
    this.#options.observer.connectionSeen(session.key, health, failure);
    if (failure?.pace === 'credential') this.#close(session, failure, intervalMs);
    if (health === before) return;
    this.#announce(session, before, health);
    session.recorder.refresh();
    if (health === 'Connected' && before !== undefined) this.#letGo(session);
  }

  /** Takes no new work, finishes what is under way within `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const { clock } = this.#options;
    const ending = [...this.#ending].map(async ([session, ended]) => {
      await within(clock, graceMs, ended);
      await session.stop(0);
    });
    await Promise.all([...ending, ...[...this.#sessions.values()].map((session) => session.stop(graceMs))]);
  }

  #create(key: string): Session {
    const { cluster, clock, log, observer, gateway, work } = this.#options;
    const lane = new Lane({
      clock,
      workers: defaultWorkers,
      work: (scope, urgency, signal) => work(session, scope, urgency, signal),
    });
    const recorder = new ConnectionRecorder({
      key,
      cluster,
      clock,
      log,
      observer,
      counts: () => this.#counts(key),
      health: () => session.health,
    });
    const session: Session = new Session({ key, lane, recorder, gateway, clock });
    return session;
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

  /** One scope that the service fails on does not make the connection unreachable; several in a row do. */
  #healthAfter(session: Session, failure: LookFailure | undefined): ConnectionReason {
    if (failure?.connection !== 'Unreachable') {
      session.unreachableInRow = 0;
      return failure?.connection ?? 'Connected';
    }
    session.unreachableInRow++;
    const enough = Math.min(unreachableInRow, this.scopesOf(session.key).size);
    return session.unreachableInRow >= enough ? 'Unreachable' : (session.health ?? 'Connected');
  }

  #announce(session: Session, before: Session['health'], health: NonNullable<Session['health']>): void {
    const event = connectionEvent(before, health);
    const connection = this.#options.cluster.connections.get(session.key);
    if (!event || !connection) return;
    const { name, namespace, uid } = connection.metadata;
    this.#options.log.info({ connection: session.key, health }, 'connection health changed');
    this.#options.events.record({
      regarding: { apiVersion: groupVersion, kind: connectionKind, name, namespace, uid },
      ...event,
    });
  }

  /** Holds the scopes back, and tries again with one of them when the credential may have changed. */
  #close(session: Session, failure: LookFailure, intervalMs: number): void {
    session.close(failure, slowDelayMs(intervalMs));
    this.#scheduleProbe(session);
  }

  #scheduleProbe(session: Session): void {
    const timer = this.#options.clock.setTimer(credentialProbeMs, () => {
      if (this.#isStopping || !session.isClosed || this.#sessions.get(session.key) !== session) return;
      void this.#probe(session);
    });
    session.setProbeTimer(timer);
  }

  async #probe(session: Session): Promise<void> {
    const deadline = new AbortController();
    const timer = this.#options.clock.setTimer(credentialProbeMs, () => deadline.abort());
    const isWorthIt = await session.mayProbe(deadline.signal);
    timer.cancel();
    const [scope] = session.failingScopes();
    if (isWorthIt && scope !== undefined && session.isClosed) {
      session.probe(scope);
      session.lane.add(scope, 'edit');
    } else {
      this.#scheduleProbe(session);
    }
  }

  /** It works again: whoever failed because of it looks now, within the budget. */
  #letGo(session: Session): void {
    session.open();
    for (const scope of session.failingScopes()) session.lane.add(scope, 'resync');
  }
}
