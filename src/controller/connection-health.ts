// What follows from how a connection's reconciles end: its health is noted and announced, and while its gate is closed (gate.ts) one
// scope after another is tried. Once one works, all that waited are reconciled, the longest wait first, within the budget. After a 401 on
// one scope another scope is tried at once.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { jitter, type Random } from '../lib/random.ts';
import { connectionEvent } from '../plan/connection-status.ts';
import { endingOf, type LookFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import { referenceTo } from '../policy/resources.ts';
import { type Finding, type Gate, healthAfter, isCircuitOpen, needsTrial, refusalsOf } from './gate.ts';
import type { ClusterPort, EventPort, Observer } from './ports.ts';
import type { Session } from './session.ts';

export interface ConnectionHealthOptions {
  readonly cluster: ClusterPort;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** False once the session has ended, or everything stops. */
  readonly isCurrent: (session: Session) => boolean;
}

const credentialProbeMs = 30_000;
const longestTrialMs = 300_000;
const circuitJitter = 0.2;

/** How a list, or a whole reconcile, ended. */
export interface AttemptEnd {
  /** Undefined after a whole list. */
  readonly failure: LookFailure | undefined;
  readonly intervalMs: number;
  readonly retryAfterMs?: number | undefined;
}

export class ConnectionHealth {
  readonly #options: ConnectionHealthOptions;

  constructor(options: ConnectionHealthOptions) {
    this.#options = options;
  }

  /** Takes in how an attempt on one scope ended. */
  note(session: Session, scope: string, end: AttemptEnd): void {
    const { failure, retryAfterMs } = end;
    const ending = endingOf(failure);
    const nowMs = this.#options.clock.monotonic();
    const isAlone = session.roster.isAlone(scope, ending);
    if (ending === 'busy' && !session.pause(retryAfterMs, isAlone)) {
      // The pause answered, not the service.
      if (session.gate.isOpen) this.#setHealth(session, 'Throttled', failure);
      return;
    }
    session.roster.ended(scope, ending, nowMs);
    const scopes = session.roster.others(ending);
    const finding = { scope, failure, isAlone, scopes, nowMs, slowProbeMs: slowProbeMs(session, end.intervalMs) };
    this.#step(session, finding);
  }

  #step(session: Session, finding: Finding): void {
    const { gate: before } = session;
    session.stepGate({ kind: 'AttemptEnded', finding });
    const health = healthAfter(session.gate, finding, session.health);
    if (health) this.#setHealth(session, health, finding.failure);
    this.#turn(session, before, finding);
  }

  #setHealth(session: Session, health: ConnectionReason, failure: LookFailure | undefined): void {
    const before = session.health;
    session.health = health;
    this.#options.observer.connectionSeen(session.key, health, failure);
    if (health === before) return;
    this.#announce(session, before, health);
    session.recorder.refresh();
  }

  /** A gate that closes holds back also those who wait for the budget. */
  #turn(session: Session, before: Gate, { scope, nowMs }: Finding): void {
    const { gate, roster } = session;
    if (gate === before) return;
    if (needsTrial(gate) && !needsTrial(before)) roster.beginRound(nowMs);
    if (gate.isOpen) this.#turnOpen(session, before, scope);
    else if (before.isOpen || (before.probe !== undefined && gate.probe === undefined))
      this.#turnClosed(session, before);
  }

  #turnClosed(session: Session, before: Gate): void {
    if (before.isOpen) session.lane.callBack();
    this.#scheduleProbe(session, this.#trialDelayMs(session.gate));
  }

  #turnOpen(session: Session, before: Gate, scope: string): void {
    if (!before.isOpen) this.#letGo(session, scope);
    const suspect = before.isOpen ? before.refused : undefined;
    const { gate } = session;
    if (!gate.isOpen || gate.refused === suspect) return;
    if (gate.refused !== undefined) this.#scheduleProbe(session, 0);
    // The credential may have changed between its 401 and the list of the other.
    else if (suspect !== undefined && suspect !== scope) session.lane.add(suspect, 'resync');
  }

  /** An open circuit's trials come after 16 s, 32 s … up to 5 min; whether a credential changed is asked every 30 s. */
  #trialDelayMs(gate: Gate): number {
    return isCircuitOpen(gate) ? this.#circuitDelayMs(gate) : credentialProbeMs;
  }

  #circuitDelayMs({ unreached: failures }: Gate): number {
    const delayMs = failureDelayMs('backoff', { intervalMs: 0, failures, retryAfterMs: undefined });
    return jitter(this.#options.random, delayMs, circuitJitter);
  }

  #announce(session: Session, before: Session['health'], health: NonNullable<Session['health']>): void {
    const event = connectionEvent(before, health);
    const connection = this.#options.cluster.connections.get(session.key);
    if (!event || !connection) return;
    this.#options.log.info({ connection: session.key, health }, 'connection health changed');
    this.#options.events.record({ regarding: referenceTo(connection), ...event });
  }

  #scheduleProbe(session: Session, delayMs: number): void {
    const timer = this.#options.clock.setTimer(delayMs, () => {
      if (needsTrial(session.gate) && this.#options.isCurrent(session)) void this.#probe(session);
    });
    session.setProbeTimer(timer);
  }

  /** Tries the scope whose turn it is. Should that reconcile never come to an end, the next trial is planned already. */
  async #probe(session: Session): Promise<void> {
    this.#scheduleProbe(session, Math.max(credentialProbeMs, this.#trialDelayMs(session.gate)));
    const scope = this.#nextTrial(session);
    if (scope === undefined || !(await this.#mayProbe(session))) return;
    if (!needsTrial(session.gate) || !this.#options.isCurrent(session)) return;
    session.stepGate({ kind: 'TrialBegun', scope });
    session.lane.add(scope, 'edit');
  }

  /** Through an open gate for a scope that was refused: another one that was refused says nothing about it. */
  #nextTrial({ gate, roster }: Session): string | undefined {
    const { random } = this.#options;
    return gate.isOpen ? roster.nextTrial(random, (scope) => roster.isUnrefused(scope)) : roster.nextTrial(random);
  }

  async #mayProbe(session: Session): Promise<boolean> {
    const deadline = new AbortController();
    const timer = this.#options.clock.setTimer(credentialProbeMs, () => deadline.abort());
    return session.mayProbe(deadline.signal).finally(() => timer.cancel());
  }

  /** The connection works again: enqueues all that waited or failed with it, except the scope whose answer opened the gate. */
  #letGo(session: Session, found: string): void {
    for (const { scope, sinceMs } of session.roster.held()) {
      if (scope !== found) session.lane.add(scope, 'resync', 0, sinceMs);
    }
  }
}

/**
 * A credential that was refused and has not changed is tried on one scope after another, after 30 s, 1 min, 2 min … up to 5 min: perhaps
 * only some are refused. Once every scope was, it is left alone for long.
 */
function slowProbeMs({ gate, roster }: Session, intervalMs: number): number {
  if (!roster.hasUnrefused) return slowDelayMs(intervalMs);
  return Math.min(credentialProbeMs * 2 ** Math.min(refusalsOf(gate), 16), longestTrialMs);
}
