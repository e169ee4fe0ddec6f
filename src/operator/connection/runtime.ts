// The in-memory state of one connection: the open client, the health, the work queue of its scopes, and the state of
// each scope. A restart may lose it: lists, statuses and the ledger rebuild it.
import type { Timer } from '../../lib/clock.ts';
import { isSameJson } from '../../lib/json-shape.ts';
import { jitter, type Random } from '../../lib/random.ts';
import { Semaphore } from '../../lib/semaphore.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { AlertClient } from '../alert-client/alert-client.ts';
import {
  connectionStreakAfter,
  type EndKind,
  endKindOf,
  type FailureStreak,
  noStreak,
  type ReconcileFailure,
  throttled,
} from '../decide/failures.ts';
import { newScopeState, type ScopeEvent, type ScopeState, stepScope } from '../decide/scope-state.ts';
import type { ControllerDeps } from '../ports.ts';
import type { Urgency } from '../queue/key-queue.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import type { Demand } from '../report/capacity.ts';
import {
  type ConnectionEvent,
  type ConnectionState,
  isRefused,
  needsTrial,
  newConnectionState,
  nextTrialOf,
  stepConnection,
} from './connection-state.ts';
import type { ConnectionStatusWriter } from './status-writer.ts';

/** The number of concurrent requests to the API server (operator/kube/api-server-connection.ts). */
const statusWritesAtATime = 4;

/** How long a stop waits for the last status write of the connection. */
const lastWriteMs = 2000;

const circuitJitter = 0.2;

type RuntimeDeps = Pick<ControllerDeps, 'clientFactory' | 'clock' | 'random'> &
  Pick<ConnectionRuntime, 'key' | 'workQueue' | 'statusWriter' | 'demand'>;

export class ConnectionRuntime {
  readonly key: string;
  readonly workQueue: WorkQueue;
  readonly statusWriter: ConnectionStatusWriter;
  readonly demand: Demand;
  readonly #deps: RuntimeDeps;
  readonly #states = new Map<string, ScopeState>();
  #connection = newConnectionState;
  #opened: { readonly uid: string; readonly spec: object; readonly client: AlertClient } | undefined;
  /** The scopes that have to be listed. */
  readonly turns = new Turns();
  #streak: FailureStreak = noStreak;
  #trialTimer: Timer | undefined;
  /**
   * Limits the status writes of the connection's policies: ledgers and other connections need the few sockets to the
   * API server as well.
   */
  readonly statusWrites = new Semaphore(statusWritesAtATime);
  #triedGeneration: number | undefined;

  constructor(deps: RuntimeDeps) {
    this.#deps = deps;
    this.key = deps.key;
    this.workQueue = deps.workQueue;
    this.statusWriter = deps.statusWriter;
    this.demand = deps.demand;
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
    this.#opened = { uid, spec, client: this.#deps.clientFactory.open(connection) };
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
  setTriedGeneration(generation: number): void {
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
    if (state.pages !== before.pages) this.demand.invalidate(scope);
    else if (state.streak.cause === before.streak.cause) return;
    this.statusWriter.refreshSoon();
  }

  /**
   * The only writer of the state of the connection. When it begins to wait, the waits for the rate limiter end; when it works,
   * what was held is due.
   */
  apply(event: ConnectionEvent): void {
    const before = this.#connection;
    const after = stepConnection(before, event, this.#deps.clock.monotonic());
    this.#connection = after;
    if (after.failure && !before.failure) this.workQueue.abortWaits();
    if (needsTrial(before) && !needsTrial(after)) this.workQueue.keys.release();
    if (after.trialAtMs !== before.trialAtMs) this.#planTrial(after);
  }

  /** An attempt on the scope ended. True when that completes a round. */
  ended(scope: string, failure: ReconcileFailure | undefined, retryAfterMs: number | undefined): boolean {
    const endKind = endKindOf(failure);
    const isRejected = endKind === 'busy' && this.isPaused;
    const isRefusedHereOnly = this.isRefusedHereOnly(scope, endKind);
    const { failures } = this.state(scope);
    this.apply({
      kind: 'Ended',
      end: { scope, failure, retryAfterMs, isRefusedHereOnly, failures, scopes: this.turns.size },
    });
    if (isRejected) return false;
    this.step(scope, { kind: 'Answered', endKind, proofs: this.#connection.proofs });
    this.workQueue.keys.moveBack(
      scope,
      this.#deps.clock.monotonic() + (endKind === 'busy' ? this.pauseLeftMs(scope) : 0),
    );
    if (failure && (this.#connection.failure ?? this.#connection.refused) !== undefined) this.workQueue.hold(scope);
    return this.turns.ended(scope);
  }

  /**
   * True when the service refused the credential on the scope before, and has served another scope since. While it refuses the credential on
   * all of them, none is refused alone.
   */
  isRefusedHereOnly(scope: string, endKind: EndKind): boolean {
    const { lastServed = scope, proofs } = this.#connection;
    const { refusedAfter = Infinity } = this.state(scope);
    return endKind === 'refused' && !isRefused(this.#connection) && lastServed !== scope && refusedAfter < proofs;
  }

  /** The last failures of the whole connection, for the log. */
  get streak(): FailureStreak {
    return this.#streak;
  }

  /** A list or a reconcile ended. */
  updateStreak(failure: ReconcileFailure | undefined): void {
    this.#streak = connectionStreakAfter(this.#streak, failure);
  }

  get connection(): ConnectionState {
    return this.#connection;
  }

  /** Why one of the scopes fails; undefined while none does. */
  get scopeFailure(): string | undefined {
    return [...this.#states.values()].find(({ streak }) => streak.count > 0)?.streak.cause;
  }

  /** Number of requests of the last complete list of a scope; 1 before the first. */
  pagesOf(scope: string): number {
    return this.#states.get(scope)?.pages ?? 1;
  }

  forget(scope: string): void {
    this.#states.delete(scope);
    this.demand.invalidate(scope);
    this.stopListing(scope);
  }

  /** The scope does not need to be listed at present. */
  stopListing(scope: string): void {
    this.turns.leave(scope);
    this.apply({ kind: 'ScopeLeft', scope });
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
   * The connection is new or its spec changed, which resets its state. The client of
   * the old spec ends at once: what waits must not reach an address with a credential that the spec no longer names.
   */
  applySpec(connection: AnyConnection): void {
    if (this.#opened) this.client(connection);
    this.demand.invalidateAll();
    this.workQueue.abortWaits();
    this.apply({ kind: 'SpecChanged' });
    this.#streak = noStreak;
  }

  /**
   * The failure that blocks the scope, or undefined when it may be listed. Edits and trials pass while the connection waits; not even
   * they pass while a throttled scope leaves its time to the others.
   */
  blockingFailure(scope: string, urgency: Urgency): ReconcileFailure | undefined {
    if (this.#deps.clock.monotonic() < this.#connection.throttledUntilMs && this.isThrottled(scope)) return throttled;
    return urgency === 'edit' ? undefined : this.#connection.failure;
  }

  /** True until the end of the pause. */
  get isPaused(): boolean {
    return this.#deps.clock.monotonic() < this.#connection.pausedUntilMs;
  }

  isThrottled(scope: string): boolean {
    return this.#connection.throttled.includes(scope);
  }

  /** Milliseconds until the pause of the scope ends. */
  pauseLeftMs(scope: string): number {
    const { pausedUntilMs, throttledUntilMs } = this.#connection;
    const endMs = this.isThrottled(scope) ? Math.max(throttledUntilMs, pausedUntilMs) : pausedUntilMs;
    return Math.max(endMs - this.#deps.clock.monotonic(), 0);
  }

  #begin(scope: string): ScopeState {
    const state = newScopeState(this.#deps.clock.monotonic());
    this.#states.set(scope, state);
    this.turns.join(scope);
    return state;
  }

  /** The only timer of the connection. */
  #planTrial({ trialAtMs, failure }: ConnectionState): void {
    this.#trialTimer?.cancel();
    if (trialAtMs === undefined) return;
    const delayMs = trialAtMs - this.#deps.clock.monotonic();
    const isJittered = failure?.connection === 'CircuitOpen';
    const timerMs = isJittered ? jitter(this.#deps.random, delayMs, circuitJitter) : delayMs;
    this.#trialTimer = this.#deps.clock.setTimer(timerMs, () => this.#beginTrial());
  }

  #beginTrial(): void {
    const scopes = this.turns.inTrialOrder(this.#deps.random);
    const unrefused = scopes.filter((scope) => this.state(scope).refusedAfter === undefined);
    const scope = nextTrialOf(this.#connection, [...unrefused, ...scopes]);
    this.apply({ kind: 'TrialBegun', scope });
    if (scope !== undefined) this.workQueue.add(scope, 'edit');
  }

  /** Of the object whose rate limiter the runtime uses; undefined before the first client. */
  get uid(): string | undefined {
    return this.#opened?.uid;
  }

  async stop(graceMs: number): Promise<void> {
    await this.workQueue.stop(graceMs);
    // After the work queue has stopped, because running work may set the timer again.
    this.#trialTimer?.cancel();
    await this.statusWriter.stop(Math.min(graceMs, lastWriteMs));
    await this.#opened?.client.stop();
  }
}

/** The scopes of one connection that have to be listed. A round is complete when each of them was tried once more. */
export class Turns {
  /** Scopes that were not tried in this round. */
  #left = new Set<string>();
  #tried = new Set<string>();
  #rounds = 0;

  /** Number of complete rounds. */
  get rounds(): number {
    return this.#rounds;
  }

  get size(): number {
    return this.#left.size + this.#tried.size;
  }

  join(scope: string): void {
    if (!this.#tried.has(scope)) this.#left.add(scope);
  }

  /** If the round lacked only this scope, it is complete when the next scope is tried. */
  leave(scope: string): void {
    this.#left.delete(scope);
    this.#tried.delete(scope);
  }

  /** An attempt on the scope ended. True when this completes the round. */
  ended(scope: string): boolean {
    this.leave(scope);
    this.#tried.add(scope);
    if (this.#left.size > 0) return false;
    this.#left = this.#tried;
    this.#tried = new Set();
    this.#rounds++;
    return true;
  }

  /**
   * The scopes that were not tried in this round come first. Chance decides with which they begin, so that the names of many failing
   * scopes cannot delay one that works.
   */
  inTrialOrder(random: Random): string[] {
    const left = [...this.#left];
    const begin = Math.floor(random.next() * left.length);
    return [...left.slice(begin), ...left.slice(0, begin), ...this.#tried];
  }
}
