// Releases the dismissals of a deleted connection: it activates the alerts that were deactivated through the connection, with
// the old client and within its rate limit, because the ledger was deleted with the object. reactivation-round.ts is
// one round; this module schedules the rounds. A scope that fails backs off alone; a failure of the connection delays
// all scopes.
import { isAlertsError } from '../alerts/alerts-error.ts';
import { CodedError, StoppedError, messageOf } from '../lib/errors.ts';
import { jitter, type Random } from '../lib/random.ts';
import { failureOf, type ReconcileFailure } from '../plan/failures.ts';
import { failureDelayMs } from '../plan/schedule.ts';
import { ControllerError } from './controller-error.ts';
import { scopeFields } from './log-fields.ts';
import {
  noteScopeMissing,
  reactivateRound,
  type ReactivationDeps,
  reactivationIntervalMs,
  type ReactivationTarget,
  type ScopeReactivation,
} from './reactivation-round.ts';
import { type WorkItem, WorkQueue } from './work-queue.ts';

/** How a stop ends the work for deleted connections. */
export interface StopSignals {
  /** Finish what is due, but do not wait for anything later. */
  readonly asked: AbortSignal;
  readonly cut: AbortSignal;
}

export interface ReactivationOptions {
  readonly deps: ReactivationDeps & { readonly random: Random };
  readonly target: ReactivationTarget;
  /** Number of scopes in parallel. */
  readonly workers: number;
  readonly stop: StopSignals;
}

interface Rounds extends ScopeReactivation {
  /** Consecutive failures. */
  failures: number;
  /** The code of the last failure that was logged. */
  logged: string | undefined;
  /** True while a round runs or follows at once. */
  isDue: boolean;
}

const dayMs = 86_400_000;
/** The rounds end after this time even if the service or the credential never recovers. */
const longestReactivationMs = 7 * dayMs;
const soonMs = 2000;
const backoffJitter = 0.2;

export class Reactivation {
  readonly #options: ReactivationOptions;
  readonly #workQueue: WorkQueue;
  readonly #open = new Map<string, Rounds>();
  readonly #endsAtMs: number;
  /** Consecutive failures of the connection as a whole. */
  #failures = 0;
  #pausedUntilMs = -Infinity;
  #end: () => void = () => undefined;

  constructor(options: ReactivationOptions) {
    this.#options = options;
    const { clock } = options.deps;
    this.#endsAtMs = clock.monotonic() + longestReactivationMs;
    this.#workQueue = new WorkQueue({
      clock,
      workers: options.workers,
      work: (scope, item) => this.#work(scope, item),
    });
  }

  /**
   * Never rejects. Resolves when no entry is left, after a stop, or after a week, and logs the entries that are left.
   */
  async run(): Promise<void> {
    const { ledger } = this.#options.target;
    const { asked, cut } = this.#options.stop;
    const ended = new Promise<void>((resolve) => (this.#end = resolve));
    const check = () => this.#check();
    for (const signal of [asked, cut]) signal.addEventListener('abort', check);
    for (const scope of ledger.scopes()) this.#begin(scope);
    this.#check();
    await ended;
    for (const signal of [asked, cut]) signal.removeEventListener('abort', check);
    await this.#workQueue.stop(0);
    for (const { scope, left } of this.#open.values()) this.#logLeft(scope, left);
  }

  #begin(scope: string): void {
    const left = this.#options.target.ledger.recordsOf(scope).map(({ alert }) => alert);
    this.#open.set(scope, {
      scope,
      left,
      sent: new Map(),
      failures: 0,
      logged: undefined,
      isDue: true,
    });
    this.#workQueue.add(scope, 'resync');
  }

  #check(): void {
    const { asked, cut } = this.#options.stop;
    const isIdle = [...this.#open.values()].every(({ isDue }) => !isDue);
    if (this.#open.size === 0 || cut.aborted || (asked.aborted && isIdle)) this.#end();
  }

  async #work(scope: string, item: WorkItem): Promise<number | undefined> {
    const rounds = this.#open.get(scope);
    if (!rounds) return undefined;
    rounds.isDue = true;
    const delayMs = await this.#round(rounds, item).catch((error: unknown) => this.#failed(rounds, error));
    if (delayMs === undefined) this.#open.delete(scope);
    else rounds.isDue = delayMs <= soonMs;
    this.#check();
    return delayMs;
  }

  async #round(rounds: Rounds, { signal, waitSignal }: WorkItem): Promise<number | undefined> {
    const { deps, target } = this.#options;
    const nowMs = deps.clock.monotonic();
    if (nowMs >= this.#endsAtMs) return this.#giveUp(rounds);
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs - nowMs;
    const delayMs = await reactivateRound(deps, target, rounds, { priority: 'high', signal, waitSignal });
    this.#failures = 0;
    rounds.failures = 0;
    rounds.logged = undefined;
    return delayMs;
  }

  /** Ends the scope and logs what is left as an error. */
  #giveUp({ scope, left }: Rounds): undefined {
    this.#logLeft(scope, left);
  }

  /** The delay until the next round; undefined when the scope is gone for good. */
  async #failed(rounds: Rounds, error: unknown): Promise<number | undefined> {
    const { deps, target } = this.#options;
    if (error instanceof StoppedError) return reactivationIntervalMs;
    if (isAlertsError(error, 'scope-not-found') && (await noteScopeMissing(deps, target, rounds.scope)))
      return undefined;
    const known = error instanceof CodedError ? error : new ControllerError('internal', messageOf(error));
    const failure = failureOf(known);
    rounds.failures++;
    if (failure.connection !== 'Connected') this.#pause(failure, known);
    const delayMs = this.#delayMs(failure, known, rounds.failures);
    this.#logFailed(rounds, known, delayMs);
    return delayMs;
  }

  /** Delays all scopes, because the failure concerns the connection. */
  #pause(failure: ReconcileFailure, error: CodedError): void {
    this.#failures++;
    const untilMs = this.#options.deps.clock.monotonic() + this.#delayMs(failure, error, this.#failures);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  /** A credential failure backs off instead of retrying every 30 s, because the credential is unlikely to recover. */
  #delayMs({ pace }: ReconcileFailure, { retryAfterMs }: CodedError, failures: number): number {
    const facts = { intervalMs: reactivationIntervalMs, failures, retryAfterMs };
    const delayMs = failureDelayMs(pace === 'credential' ? 'backoff' : pace, facts);
    return pace === 'retry-after' ? delayMs : jitter(this.#options.deps.random, delayMs, backoffJitter);
  }

  /** Logs each code of consecutive failures once. */
  #logFailed(rounds: Rounds, { code, message, detail }: CodedError, delayMs: number): void {
    if (rounds.logged === code) return;
    rounds.logged = code;
    const { scope, left: alerts } = rounds;
    const facts = { ...this.#factsOf(scope), alerts, code, error: message, detail, delayMs };
    this.#options.deps.log.error(facts, 'alerts not re-activated yet, their connection was deleted');
  }

  #factsOf(scope: string): object {
    return scopeFields({ connection: this.#options.target.connection, scope });
  }

  #logLeft(scope: string, alerts: readonly string[]): void {
    if (alerts.length === 0) return;
    const facts = { ...this.#factsOf(scope), alerts };
    this.#options.deps.log.error(facts, 'alerts not re-activated, their connection was deleted');
  }
}
