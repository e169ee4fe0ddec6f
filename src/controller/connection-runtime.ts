// The in-memory state of one connection: the open client, the health, the work queue of its scopes, and the state of
// each scope. A restart may lose it: lists, statuses and the ledger rebuild it.
import type { AlertClient } from '../alert-client/alert-client.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { createLimit } from '../lib/limit.ts';
import { isSameJson } from '../lib/same-json.ts';
import { connectionStreakAfter, type FailureStreak, noStreak } from '../plan/failure-streak.ts';
import { type ReconcileFailure, throttled } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';
import { newScopeState, type ScopeEvent, type ScopeState, stepScope } from '../plan/scope-state.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { type Breaker, type BreakerEvent, closedBreaker, isCredentialRefused } from './breaker.ts';
import { stepBreaker } from './circuit-breaker.ts';
import type { ConnectionStatusWriter } from './connection-status-writer.ts';
import type { Demand } from './demand.ts';
import type { Urgency } from './key-queue.ts';
import { nextPause, noPause, type Pause, shortestPauseMs } from './pause.ts';
import type { AlertClientFactory } from './ports.ts';
import { Roster } from './roster.ts';
import type { WorkQueue } from './work-queue.ts';

/** The number of concurrent requests to the API server (kube/api-server-connection.ts). */
const statusWritesAtATime = 4;

/** How long a stop waits for the last status write of the connection. */
const lastWriteMs = 2000;

export class ConnectionRuntime {
  readonly key: string;
  readonly workQueue: WorkQueue;
  readonly statusWriter: ConnectionStatusWriter;
  readonly demand: Demand;
  readonly #clientFactory: AlertClientFactory;
  readonly #clock: Clock;
  readonly #states = new Map<string, ScopeState>();
  #breaker: Breaker = closedBreaker;
  #opened: { readonly uid: string; readonly spec: object; readonly client: AlertClient } | undefined;
  /** The scopes that have to be listed, with the end of the last attempt on each. */
  readonly roster = new Roster();
  #pause: Pause = noPause;
  #streak: FailureStreak = noStreak;
  #trialTimer: Timer | undefined;
  /**
   * Limits the status writes of the connection's policies: ledgers and other connections need the few sockets to the
   * API server as well.
   */
  readonly statusWrites = createLimit(statusWritesAtATime);
  /** Undefined until the first attempt has ended. */
  health: ConnectionReason | undefined;
  #triedGeneration: number | undefined;
  #isStopped = false;

  constructor(options: {
    key: string;
    workQueue: WorkQueue;
    statusWriter: ConnectionStatusWriter;
    demand: Demand;
    clientFactory: AlertClientFactory;
    clock: Clock;
  }) {
    this.key = options.key;
    this.workQueue = options.workQueue;
    this.statusWriter = options.statusWriter;
    this.demand = options.demand;
    this.#clientFactory = options.clientFactory;
    this.#clock = options.clock;
  }

  /**
   * The client for the current spec; opens a new one when the spec has changed. A deletion only increments the generation: the client
   * stays, with the credential that it read.
   */
  client(connection: AnyConnection): AlertClient {
    const { spec } = connection;
    const { uid } = connection.metadata;
    const opened = this.#opened;
    if (opened?.uid === uid && (opened.spec === spec || isSameJson(opened.spec, spec))) return opened.client;
    void opened?.client.stop();
    this.#opened = { uid, spec, client: this.#clientFactory.open(connection) };
    return this.#opened.client;
  }

  /** False for a spec older than the one that gave the health. */
  isLatestSpec({ metadata }: AnyConnection): boolean {
    return this.#triedGeneration === undefined || this.#triedGeneration <= metadata.generation;
  }

  /** The generation of the spec that gave the health; undefined until an attempt has ended. */
  get triedGeneration(): number | undefined {
    return this.#triedGeneration;
  }

  /** Call it after the health was set from that generation. */
  noteTried(generation: number): void {
    if (this.#triedGeneration === generation) return;
    this.#triedGeneration = generation;
    this.statusWriter.refresh();
  }

  state(scope: string): ScopeState {
    return this.#states.get(scope) ?? this.#begin(scope);
  }

  /** The only writer of the state of a scope. */
  step(scope: string, event: ScopeEvent): void {
    const before = this.state(scope);
    const state = stepScope(before, event);
    this.#states.set(scope, state);
    if (state.pages === before.pages) return;
    this.demand.note(scope);
    this.statusWriter.refreshSoon();
  }

  /** The only writer of the circuit breaker. */
  stepBreaker(event: BreakerEvent): void {
    this.#breaker = stepBreaker(this.#breaker, event);
  }

  /** The last failures of the whole connection, for the log. */
  get streak(): FailureStreak {
    return this.#streak;
  }

  /** A list or a reconcile ended. */
  noteEnd(failure: ReconcileFailure | undefined): void {
    this.#streak = connectionStreakAfter(this.#streak, failure);
  }

  get breaker(): Breaker {
    return this.#breaker;
  }

  /** Number of requests of the last complete list of a scope; 1 before the first. */
  pagesOf(scope: string): number {
    return this.#states.get(scope)?.pages ?? 1;
  }

  forget(scope: string): void {
    this.#states.delete(scope);
    this.demand.note(scope);
    this.stepBreaker({ kind: 'ScopeLeft', scope });
    this.roster.forget(scope);
  }

  /** The scope does not need to be listed at present. */
  stopListing(scope: string): void {
    this.stepBreaker({ kind: 'ScopeLeft', scope });
    this.roster.leave(scope);
  }

  /** The policy was deleted. A new policy of the same name must not show its corrections. */
  disown(scope: string, policyKey: string): void {
    if (this.#states.has(scope)) this.step(scope, { kind: 'PolicyGone', policyKey });
  }

  /** When the oldest write was sent that the service did not fail and no list has verified; milliseconds since 1970. */
  unverifiedSinceMs(): number | undefined {
    let sinceMs: number | undefined;
    for (const { sent } of this.#states.values()) {
      for (const { sentAtMs, failure } of sent.values()) {
        if (!failure) sinceMs = Math.min(sinceMs ?? sentAtMs, sentAtMs);
      }
    }
    return sinceMs;
  }

  forgetAll(): void {
    for (const scope of this.#states.keys()) this.forget(scope);
  }

  /**
   * The connection is new or its spec changed, which resets the circuit breaker and the failures of all scopes. The client of
   * the old spec ends at once: what waits must not reach an address with a credential that the spec no longer names.
   */
  renew(connection: AnyConnection): void {
    if (this.#opened) this.client(connection);
    this.workQueue.abortWaits();
    this.stepBreaker({ kind: 'ConnectionChanged' });
    this.#streak = noStreak;
    this.roster.renew();
  }

  /** The failure that blocks the scope, or undefined when it may be listed. Edits pass an open circuit breaker. */
  blockingFailure(scope: string, urgency: Urgency): ReconcileFailure | undefined {
    if (this.#isThrottledNow(scope)) return throttled;
    if (urgency === 'edit' || this.breaker.state === 'Closed' || this.breaker.halfOpenScope === scope) return undefined;
    return this.breaker.failure;
  }

  /**
   * Notes a 429. Returns false when the current pause rejected the request, which says nothing new about the scope.
   * `retryAfterMs`: the time that the service asked for, or what is left of it. `isAlone`: the service served other
   * scopes since the last 429 of this one.
   */
  pause(retryAfterMs: number | undefined, isAlone: boolean): boolean {
    const nowMs = this.#clock.monotonic();
    const isNew = nowMs >= this.#pause.untilMs;
    const waitMs = Math.max(retryAfterMs ?? 0, isNew ? shortestPauseMs : 0);
    this.#pause = nextPause(this.#pause, nowMs, waitMs, isNew && isAlone);
    return isNew;
  }

  /** True until the end of the pause. */
  get isPaused(): boolean {
    return this.#clock.monotonic() < this.#pause.untilMs;
  }

  /** Milliseconds until the pause of the scope ends; longer for a scope that is throttled alone. */
  pauseLeftMs(scope: string): number {
    const { untilMs, aloneUntilMs } = this.#pause;
    const endMs = this.roster.isThrottled(scope) ? Math.max(aloneUntilMs, untilMs) : untilMs;
    return Math.max(endMs - this.#clock.monotonic(), 0);
  }

  /** True when a trial may succeed: the credential has changed, or the next slow trial is due. */
  async mayTry(signal: AbortSignal): Promise<boolean> {
    if (!isCredentialRefused(this.breaker)) return true;
    if (this.#clock.monotonic() >= this.breaker.slowTrialAtMs) return true;
    const hasChanged = (await this.#opened?.client.credentialChanged(signal).catch(() => false)) ?? true;
    if (hasChanged) this.roster.clearRefusals();
    return hasChanged;
  }

  #begin(scope: string): ScopeState {
    const state = newScopeState(this.#clock.monotonic());
    this.#states.set(scope, state);
    this.roster.join(scope);
    return state;
  }

  #isThrottledNow(scope: string): boolean {
    return this.roster.isThrottled(scope) && this.#clock.monotonic() < this.#pause.aloneUntilMs;
  }

  /** Replaces the timer of the next trial. */
  setTrialTimer(timer: Timer): void {
    this.#trialTimer?.cancel();
    this.#trialTimer = timer;
  }

  /** True while the runtime may use the rate limiter of the object with this uid. */
  isOpenFor(uid: string): boolean {
    return !this.#isStopped && this.#opened?.uid === uid;
  }

  async stop(graceMs: number): Promise<void> {
    await this.workQueue.stop(graceMs);
    // After the work queue has stopped, because running work may set the timer again.
    this.#trialTimer?.cancel();
    await this.statusWriter.stop(Math.min(graceMs, lastWriteMs));
    await this.#opened?.client.stop();
    this.#isStopped = true;
    if (this.#opened) this.#clientFactory.forget(this.#opened.uid);
  }
}
