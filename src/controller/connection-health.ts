// Acts on how the attempts of a connection end: it records and announces the health and, while the circuit breaker is
// open (circuit-breaker.ts), tries one scope after another. Once one works, it requeues all waiting scopes, the longest
// wait first; the rate limiter paces them. After a 401 on one scope it tries another at once.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { jitter, type Random } from '../lib/random.ts';
import { connectionEvent } from '../plan/connection-status.ts';
import { endingOf, isServed, type ReconcileFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import { referenceTo } from '../policy/resources.ts';
import { type AttemptObservation, type Breaker, isCircuitOpen, needsTrial, refusalsOf } from './breaker.ts';
import { healthAfter } from './circuit-breaker.ts';
import type { ConnectionRuntime } from './connection-runtime.ts';
import { connectionFields } from './log-fields.ts';
import type { ClusterPort, EventPort, Observer } from './ports.ts';

export interface ConnectionHealthDeps {
  readonly cluster: ClusterPort;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** False once the runtime has ended or the controller stops. */
  readonly isCurrent: (runtime: ConnectionRuntime) => boolean;
}

const credentialTrialMs = 30_000;
const longestTrialMs = 300_000;
const circuitJitter = 0.2;

/** How a list or a reconcile ended. */
export interface AttemptEnd {
  /** Undefined after a complete list. */
  readonly failure: ReconcileFailure | undefined;
  readonly intervalMs: number;
  readonly retryAfterMs?: number | undefined;
  /** The message of the failure: one sentence without text from the server. */
  readonly error?: string | undefined;
}

export class ConnectionHealth {
  readonly #deps: ConnectionHealthDeps;

  constructor(deps: ConnectionHealthDeps) {
    this.#deps = deps;
  }

  /** Handles the end of an attempt on one scope. */
  note(runtime: ConnectionRuntime, scope: string, end: AttemptEnd): void {
    const { failure, retryAfterMs } = end;
    const ending = endingOf(failure);
    const nowMs = this.#deps.clock.monotonic();
    const isAlone = runtime.roster.isAlone(scope, ending);
    if (ending === 'busy' && !runtime.pause(retryAfterMs, isAlone)) {
      // The failure comes from the pause, not from the service.
      if (runtime.breaker.state === 'Closed') this.#setHealth(runtime, 'Throttled', end);
      return;
    }
    runtime.roster.ended(scope, ending, nowMs);
    if (isAlone || isServed(ending)) this.#noteServed(runtime, scope);
    const scopes = runtime.roster.others(ending);
    const observation = { scope, failure, isAlone, scopes, nowMs, slowTrialMs: slowTrialMs(runtime, end.intervalMs) };
    this.#step(runtime, observation, end);
  }

  /** The end of the first round may change what the status says of the rate limit. */
  #noteServed(runtime: ConnectionRuntime, scope: string): void {
    const { rounds } = runtime.roster;
    const { isFirst } = rounds;
    if (!rounds.served(scope)) return;
    this.#deps.observer.roundCompleted(runtime.key);
    if (!isFirst) return;
    this.#deps.log.info({ ...connectionFields(runtime.key), scopes: rounds.scopes }, 'first round completed');
    // The pages of this scope are noted next.
    runtime.statusWriter.refreshSoon();
  }

  #step(runtime: ConnectionRuntime, observation: AttemptObservation, end: AttemptEnd): void {
    const { breaker: before } = runtime;
    runtime.stepBreaker({ kind: 'AttemptEnded', observation });
    const health = healthAfter(runtime.breaker, observation, runtime.health);
    if (health) this.#setHealth(runtime, isStillThrottled(runtime, health) ? 'Throttled' : health, end);
    this.#transition(runtime, before, observation);
  }

  #setHealth(runtime: ConnectionRuntime, health: ConnectionReason, { failure, error }: AttemptEnd): void {
    const before = runtime.health;
    runtime.health = health;
    this.#deps.observer.connectionSeen(runtime.key, health, failure);
    if (health === before) return;
    this.#emitHealthEvent(runtime, before, health, error);
    runtime.statusWriter.refresh();
  }

  /** An opening circuit breaker also aborts the waits for the rate limiter. */
  #transition(runtime: ConnectionRuntime, before: Breaker, { scope, nowMs }: AttemptObservation): void {
    const { breaker, roster } = runtime;
    if (breaker === before) return;
    if (needsTrial(breaker) && !needsTrial(before)) roster.beginRound(nowMs);
    if (breaker.state === 'Closed') this.#afterClosing(runtime, before, scope);
    else if (before.state === 'Closed' || (before.state === 'HalfOpen' && breaker.state === 'Open'))
      this.#afterOpening(runtime, before);
  }

  #afterOpening(runtime: ConnectionRuntime, before: Breaker): void {
    if (before.state === 'Closed') runtime.workQueue.abortWaits();
    this.#scheduleTrial(runtime, this.#trialDelayMs(runtime.breaker));
  }

  #afterClosing(runtime: ConnectionRuntime, before: Breaker, scope: string): void {
    if (before.state !== 'Closed') this.#requeueFailed(runtime, scope);
    const suspect = before.state === 'Closed' ? before.refused : undefined;
    const { breaker } = runtime;
    if (breaker.state !== 'Closed' || breaker.refused === suspect) return;
    if (breaker.refused !== undefined) this.#scheduleTrial(runtime, 0);
    // The credential may have changed between the suspect's 401 and the list of the other scope.
    else if (suspect !== undefined && suspect !== scope) runtime.workQueue.add(suspect, 'resync');
  }

  /** The delay of the next trial: 16 s, 32 s … up to 5 min while the circuit is open, 30 s for a credential. */
  #trialDelayMs(breaker: Breaker): number {
    return isCircuitOpen(breaker) ? this.#circuitDelayMs(breaker) : credentialTrialMs;
  }

  #circuitDelayMs({ unreached: failures }: Breaker): number {
    const delayMs = failureDelayMs('backoff', { intervalMs: 0, failures, retryAfterMs: undefined });
    return jitter(this.#deps.random, delayMs, circuitJitter);
  }

  #emitHealthEvent(
    runtime: ConnectionRuntime,
    before: ConnectionRuntime['health'],
    health: NonNullable<ConnectionRuntime['health']>,
    error: string | undefined,
  ): void {
    const { connections, clusterNamespace } = this.#deps.cluster;
    const connection = connections.get(runtime.key);
    const event = connection && connectionEvent(before, health, connection, { clusterNamespace, error });
    if (!event) return;
    this.#deps.events.record({ regarding: referenceTo(connection), ...event });
  }

  #scheduleTrial(runtime: ConnectionRuntime, delayMs: number): void {
    const timer = this.#deps.clock.setTimer(delayMs, () => {
      if (needsTrial(runtime.breaker) && this.#deps.isCurrent(runtime)) void this.#startTrial(runtime);
    });
    runtime.setTrialTimer(timer);
  }

  /** Starts a trial of the next scope. Schedules the following one first, in case that reconcile never ends. */
  async #startTrial(runtime: ConnectionRuntime): Promise<void> {
    this.#scheduleTrial(runtime, Math.max(credentialTrialMs, this.#trialDelayMs(runtime.breaker)));
    const scope = this.#nextTrial(runtime);
    if (scope === undefined || !(await this.#mayTry(runtime))) return;
    if (!needsTrial(runtime.breaker) || !this.#deps.isCurrent(runtime)) return;
    runtime.stepBreaker({ kind: 'TrialBegun', scope });
    runtime.workQueue.add(scope, 'edit');
  }

  /** While the circuit breaker is closed, the trial confirms or disproves a refusal, for which it needs another scope. */
  #nextTrial({ breaker, roster }: ConnectionRuntime): string | undefined {
    const { random } = this.#deps;
    return breaker.state === 'Closed'
      ? roster.nextTrial(random, (scope) => roster.isUnrefused(scope))
      : roster.nextTrial(random);
  }

  async #mayTry(runtime: ConnectionRuntime): Promise<boolean> {
    const deadline = new AbortController();
    const timer = this.#deps.clock.setTimer(credentialTrialMs, () => deadline.abort());
    return runtime.mayTry(deadline.signal).finally(() => timer.cancel());
  }

  /**
   * Requeues all scopes that waited or failed with the connection, except the one whose attempt closed the circuit
   * breaker.
   */
  #requeueFailed(runtime: ConnectionRuntime, found: string): void {
    for (const { scope, sinceMs } of runtime.roster.held()) {
      if (scope !== found) runtime.workQueue.add(scope, 'resync', 0, sinceMs);
    }
  }
}

/**
 * The delay before an unchanged refused credential is tried on the next scope: 30 s, 1 min, 2 min … up to 5 min,
 * because the service may refuse only some scopes. Once it has refused all of them, the delay is that of a slow retry.
 */
function slowTrialMs({ breaker, roster }: ConnectionRuntime, intervalMs: number): number {
  if (!roster.hasUnrefused) return slowDelayMs(intervalMs);
  return Math.min(credentialTrialMs * 2 ** Math.min(refusalsOf(breaker), 16), longestTrialMs);
}

/** A scope that always gets 429, also if only its PATCH does, would otherwise change the status twice in every reconcile. */
function isStillThrottled({ health, roster }: ConnectionRuntime, next: ConnectionReason): boolean {
  return next === 'Connected' && health === 'Throttled' && roster.isThrottling;
}
