// What follows from how a connection's looks end: its health is noted and announced, and while its gate is closed (gate.ts) one scope
// at a time finds out whether it works again. Then all that failed are let go, within the budget.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { jitter, type Random } from '../lib/random.ts';
import { connectionEvent } from '../plan/connection-status.ts';
import type { LookFailure } from '../plan/failures.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import { connectionKind, groupVersion } from '../policy/resources.ts';
import { type Gate, healthAfter, isCircuitOpen, nextGate, withProbe } from './gate.ts';
import type { ClusterPort, EventPort, Observer } from './ports.ts';
import type { Session } from './session.ts';

export interface ConnectionHealthOptions {
  readonly cluster: ClusterPort;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly scopesOf: (connection: string) => ReadonlySet<string>;
  /** False once the session has ended, or everything stops. */
  readonly isCurrent: (session: Session) => boolean;
}

const credentialProbeMs = 30_000;
const circuitJitter = 0.2;

export class ConnectionHealth {
  readonly #options: ConnectionHealthOptions;

  constructor(options: ConnectionHealthOptions) {
    this.#options = options;
  }

  /** What a look at one scope found; `failure` is undefined after a whole list. */
  note(session: Session, scope: string, failure: LookFailure | undefined, intervalMs: number): void {
    const { clock, observer, scopesOf } = this.#options;
    const before = session.health;
    const gate = nextGate(session.gate, {
      scope,
      failure,
      nowMs: clock.monotonic(),
      slowProbeMs: slowDelayMs(intervalMs),
    });
    const health = healthAfter(gate, failure, { before, scopes: scopesOf(session.key).size });
    session.health = health;
    observer.connectionSeen(session.key, health, failure);
    this.#turn(session, gate);
    if (health === before) return;
    this.#announce(session, before, health);
    session.recorder.refresh();
    if (health === 'Connected' && before !== undefined) this.#letGo(session, scope);
  }

  /** A gate that closes holds back also those who wait for the budget, and the next probe is planned whenever one failed. */
  #turn(session: Session, gate: Gate): void {
    const before = session.gate;
    session.gate = gate;
    if (gate.isOpen || gate === before) return;
    if (before.isOpen) session.lane.callBack();
    this.#scheduleProbe(session, isCircuitOpen(gate) ? this.#circuitDelayMs(gate) : credentialProbeMs);
  }

  #circuitDelayMs({ unreached: failures }: Gate): number {
    const delayMs = failureDelayMs('backoff', { intervalMs: 0, failures, retryAfterMs: undefined });
    return jitter(this.#options.random, delayMs, circuitJitter);
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

  #scheduleProbe(session: Session, delayMs: number): void {
    const timer = this.#options.clock.setTimer(delayMs, () => {
      if (session.gate.isOpen || !this.#options.isCurrent(session)) return;
      void this.#probe(session);
    });
    session.setProbeTimer(timer);
  }

  /** Lets one scope look. Should that look never come to an end, the next probe is planned already. */
  async #probe(session: Session): Promise<void> {
    const deadline = new AbortController();
    const timer = this.#options.clock.setTimer(credentialProbeMs, () => deadline.abort());
    const isWorthIt = await session.mayProbe(deadline.signal);
    timer.cancel();
    if (session.gate.isOpen || !this.#options.isCurrent(session)) return;
    this.#scheduleProbe(session, Math.max(credentialProbeMs, this.#circuitDelayMs(session.gate)));
    const [scope] = session.failingScopes();
    if (!isWorthIt || scope === undefined) return;
    session.gate = withProbe(session.gate, scope);
    session.lane.add(scope, 'edit');
  }

  /** It works again: whoever failed because of it looks now, within the budget; not the scope that has just found out. */
  #letGo(session: Session, found: string): void {
    for (const scope of session.failingScopes()) if (scope !== found) session.lane.add(scope, 'resync');
  }
}
