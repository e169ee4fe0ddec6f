// Whether a connection works, as its looks tell: its health is noted here, its scopes are held back while it cannot be used
// (a credential that is refused, a service that is not reached five times in a row), one of them finds out when it works again, and
// then all are let go, within the budget.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { jitter, type Random } from '../lib/random.ts';
import { connectionEvent } from '../plan/connection-status.ts';
import type { LookFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import { connectionKind, groupVersion } from '../policy/resources.ts';
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
/** Looks in a row that did not reach the service, before the circuit opens. */
const opensAfter = 5;
const circuitJitter = 0.2;

export class ConnectionHealth {
  readonly #options: ConnectionHealthOptions;

  constructor(options: ConnectionHealthOptions) {
    this.#options = options;
  }

  /** `failure` is undefined after a whole list. */
  note(session: Session, failure: LookFailure | undefined, intervalMs: number): void {
    const before = session.health;
    const health = this.#healthAfter(session, failure);
    session.health = health;
    this.#options.observer.connectionSeen(session.key, health, failure);
    this.#holdBack(session, failure, intervalMs, before);
    if (health === before) return;
    this.#announce(session, before, health);
    session.recorder.refresh();
    if (health === 'Connected' && before !== undefined) this.#letGo(session);
  }

  /**
   * One scope that the service fails on does not make the connection unreachable; several in a row do, and from the fifth on the
   * circuit is open. Then only the probe counts: looks that were under way tell nothing new.
   */
  #healthAfter(session: Session, failure: LookFailure | undefined): ConnectionReason {
    if (failure?.connection !== 'Unreachable') {
      session.unreachableInRow = 0;
      return failure?.connection ?? 'Connected';
    }
    if (session.health === 'CircuitOpen' && !session.isProbing) return 'CircuitOpen';
    session.unreachableInRow++;
    if (session.unreachableInRow >= opensAfter) return 'CircuitOpen';
    const enough = Math.min(opensAfter, this.#options.scopesOf(session.key).size);
    return session.unreachableInRow >= enough ? 'Unreachable' : (session.health ?? 'Connected');
  }

  /** Decides whether the scopes may go on looking after this look. */
  #holdBack(
    session: Session,
    failure: LookFailure | undefined,
    intervalMs: number,
    before: ConnectionReason | undefined,
  ): void {
    if (failure?.pace === 'credential') {
      session.close(failure, slowDelayMs(intervalMs));
      this.#scheduleProbe(session, credentialProbeMs);
    } else if (failure && session.health === 'CircuitOpen') {
      if (before === 'CircuitOpen' && !session.isProbing) return;
      session.close({ ...failure, connection: 'CircuitOpen' }, 0);
      this.#scheduleProbe(session, this.#circuitDelayMs(session));
    } else if (failure?.connection !== 'Unreachable') {
      // Whatever it was, it was an answer.
      session.open();
    }
  }

  #circuitDelayMs({ unreachableInRow: failures }: Session): number {
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
      if (!session.isClosed || !this.#options.isCurrent(session)) return;
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
    if (!session.isClosed) return;
    this.#scheduleProbe(session, Math.max(credentialProbeMs, this.#circuitDelayMs(session)));
    const [scope] = session.failingScopes();
    if (!isWorthIt || scope === undefined) return;
    session.probe(scope);
    session.lane.add(scope, 'edit');
  }

  /** It works again: whoever failed because of it looks now, within the budget. */
  #letGo(session: Session): void {
    session.open();
    for (const scope of session.failingScopes()) session.lane.add(scope, 'resync');
  }
}
