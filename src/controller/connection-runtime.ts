// What the operator keeps in memory of one connection while it runs: the open client, the health, the work queue of its scopes,
// and for each scope what was sent and how often it failed. All of it can be lost: a restart finds its way from the lists,
// the statuses and the ledger.
import type { Clock, Timer } from '../lib/clock.ts';
import { createLimit } from '../lib/limit.ts';
import { type ReconcileFailure, throttled } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';
import { newScopeState, type ScopeEvent, type ScopeState, stepScope } from '../plan/scope-state.ts';
import { noWaits } from '../plan/waits.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import { type Breaker, type BreakerEvent, closedBreaker, isCredentialRefused, stepBreaker } from './circuit-breaker.ts';
import type { ConnectionStatusWriter } from './connection-status-writer.ts';
import type { Urgency } from './key-queue.ts';
import { nextPause, noPause, type Pause, shortestPauseMs } from './pause.ts';
import type { AlertClientFactory, AlertsPort } from './ports.ts';
import { Roster } from './roster.ts';
import { Standings } from './standings.ts';
import type { WorkQueue } from './work-queue.ts';

/** As many as the API server is asked at a time (kube/api-server-connection.ts). */
const statusWritesAtATime = 4;

/** How long a stop waits for the last status of the connection. */
const lastWriteMs = 2000;

export class ConnectionRuntime {
  readonly key: string;
  readonly workQueue: WorkQueue;
  readonly statusWriter: ConnectionStatusWriter;
  /** What it has proven of each scope. */
  readonly standings: Standings;
  readonly #clientFactory: AlertClientFactory;
  readonly #clock: Clock;
  readonly #states = new Map<string, ScopeState>();
  #breaker: Breaker = closedBreaker;
  #opened: { readonly uid: string; readonly generation: number; readonly client: AlertsPort } | undefined;
  /** Its scopes, with how the last attempt on each ended. */
  readonly roster = new Roster();
  #pause: Pause = noPause;
  #probeTimer: Timer | undefined;
  #doubtTimer: Timer | undefined;
  /** Statuses of its policies: the sockets to the API server are few, and ledgers and other connections need them, too. */
  readonly statusWrites = createLimit(statusWritesAtATime);
  /** Undefined until the first answer. */
  health: ConnectionReason | undefined;
  #triedGeneration: number | undefined;
  #isStopped = false;

  constructor(options: {
    key: string;
    workQueue: WorkQueue;
    statusWriter: ConnectionStatusWriter;
    clientFactory: AlertClientFactory;
    clock: Clock;
  }) {
    this.key = options.key;
    this.workQueue = options.workQueue;
    this.statusWriter = options.statusWriter;
    this.standings = new Standings(options.clock);
    this.#clientFactory = options.clientFactory;
    this.#clock = options.clock;
  }

  /** The client for the connection as it is now; opened again when its spec changed. */
  client(connection: RoleAlertConnection): AlertsPort {
    const { uid, generation } = connection.metadata;
    if (this.#opened?.uid === uid && this.#opened.generation === generation) return this.#opened.client;
    void this.#opened?.client.stop();
    this.#opened = { uid, generation, client: this.#clientFactory.open(connection) };
    return this.#opened.client;
  }

  /** False for a spec that is older than the one whose answers the health rests on. */
  isLatestSpec({ metadata }: RoleAlertConnection): boolean {
    return this.#triedGeneration === undefined || this.#triedGeneration <= metadata.generation;
  }

  /** The generation of the connection's spec that the health speaks of; undefined until the first answer. */
  get triedGeneration(): number | undefined {
    return this.#triedGeneration;
  }

  /** Call it once the health is what the use of that generation gave. */
  noteTried(generation: number): void {
    if (this.#triedGeneration === generation) return;
    this.#triedGeneration = generation;
    this.statusWriter.refresh();
  }

  state(scope: string): ScopeState {
    return this.#states.get(scope) ?? this.#begin(scope);
  }

  /** The one writer of what is remembered of a scope. */
  step(scope: string, event: ScopeEvent): void {
    this.#states.set(scope, stepScope(this.state(scope), event));
  }

  /** The one writer of the circuit breaker. */
  stepBreaker(event: BreakerEvent): void {
    this.#breaker = stepBreaker(this.#breaker, event);
  }

  /** Whether its scopes may be listed. What follows from a change is connection-health.ts's. */
  get breaker(): Breaker {
    return this.#breaker;
  }

  /** Requests of the last whole list of a scope; 1 before there was one. */
  pagesOf(scope: string): number {
    return this.#states.get(scope)?.pages ?? 1;
  }

  forget(scope: string): void {
    this.#states.delete(scope);
    this.stepBreaker({ kind: 'ScopeLeft', scope });
    this.roster.forget(scope);
    this.standings.forget(scope);
  }

  /** The scope need not be listed at present. */
  stopListing(scope: string): void {
    this.stepBreaker({ kind: 'ScopeLeft', scope });
    this.roster.leave(scope);
  }

  /** The policy is gone. What was done for it is not told of one that is made under its name. */
  disown(scope: string, policyKey: string): void {
    if (this.#states.has(scope)) this.step(scope, { kind: 'PolicyGone', policyKey });
  }

  isFailing(scope: string): boolean {
    return (this.#states.get(scope)?.failures ?? 0) > 0;
  }

  /** True while the last plan left something of the scope to other connections. */
  isWaiting(scope: string): boolean {
    const waits = this.#states.get(scope)?.waits ?? noWaits;
    return waits.claimsSinceMs !== undefined || waits.ownerSinceMs.size > 0;
  }

  forgetAll(): void {
    for (const scope of this.#states.keys()) this.forget(scope);
  }

  /** The spec changed: what was held against the connection or one of its scopes no longer counts. */
  renew(): void {
    this.stepBreaker({ kind: 'ConnectionChanged' });
    this.roster.renew();
  }

  /** The failure that keeps this scope from being listed, or undefined when it may. The breaker lets edits pass. */
  blockingFailure(scope: string, urgency: Urgency): ReconcileFailure | undefined {
    if (this.#isThrottledNow(scope)) return throttled;
    if (urgency === 'edit' || this.breaker.state === 'Closed' || this.breaker.halfOpenScope === scope) return undefined;
    return this.breaker.failure;
  }

  /**
   * Notes a 429. False when it was the present pause that kept the request from being sent: that says nothing new about the scope.
   * `retryAfterMs`: what the service asked for, or what is left of it. `isAlone`: others were served since the last 429 of the scope.
   */
  pause(retryAfterMs: number | undefined, isAlone: boolean): boolean {
    const nowMs = this.#clock.monotonic();
    const isNew = nowMs >= this.#pause.untilMs;
    const waitMs = Math.max(retryAfterMs ?? 0, isNew ? shortestPauseMs : 0);
    this.#pause = nextPause(this.#pause, nowMs, waitMs, isNew && isAlone);
    return isNew;
  }

  /** True before the end of the pause. */
  get isPaused(): boolean {
    return this.#clock.monotonic() < this.#pause.untilMs;
  }

  /** How long the scope has to wait for the end of the pause; one that is throttled alone for longer. */
  pauseLeftMs(scope: string): number {
    const { untilMs, aloneUntilMs } = this.#pause;
    const endMs = this.roster.isThrottled(scope) ? Math.max(aloneUntilMs, untilMs) : untilMs;
    return Math.max(endMs - this.#clock.monotonic(), 0);
  }

  /** True when a trial is worth it now: something may have changed, or long enough nothing was tried. */
  async mayProbe(signal: AbortSignal): Promise<boolean> {
    if (!isCredentialRefused(this.breaker)) return true;
    if (this.#clock.monotonic() >= this.breaker.slowProbeAtMs) return true;
    const hasChanged = (await this.#opened?.client.credentialChanged(signal).catch(() => false)) ?? true;
    if (hasChanged) this.roster.forgiveRefusals();
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

  /** One probe is planned at a time; a later plan replaces it. */
  setProbeTimer(timer: Timer): void {
    this.#probeTimer?.cancel();
    this.#probeTimer = timer;
  }

  /** For the end of a doubt about its claims; a later one replaces it. */
  setDoubtTimer(timer: Timer): void {
    this.#doubtTimer?.cancel();
    this.#doubtTimer = timer;
  }

  /** True while it may use the rate limiter of the object with this uid. */
  isOpenFor(uid: string): boolean {
    return !this.#isStopped && this.#opened?.uid === uid;
  }

  async stop(graceMs: number): Promise<void> {
    await this.workQueue.stop(graceMs);
    // Not before: what was under way may have planned another one.
    this.#probeTimer?.cancel();
    this.#doubtTimer?.cancel();
    await this.statusWriter.stop(Math.min(graceMs, lastWriteMs));
    await this.#opened?.client.stop();
    this.#isStopped = true;
    if (this.#opened) this.#clientFactory.forget(this.#opened.uid);
  }
}
