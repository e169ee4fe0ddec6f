// The lift of a deleted connection: what was deactivated through it is activated again with its old client and within its budget, as
// long as it takes while the process runs, because its ledger went with the object. What a round is, is in lift-round.ts; here
// is when the rounds are: a scope that fails backs off alone, and what concerns the connection makes all of them wait.
import { isOperatorError, messageOf, OperatorError } from '../lib/errors.ts';
import { jitter, type Random } from '../lib/random.ts';
import { failureOf, type LookFailure } from '../plan/failures.ts';
import { failureDelayMs } from '../plan/schedule.ts';
import { noWaits } from '../plan/waits.ts';
import { Lane, type Shift } from './lane.ts';
import {
  liftIntervalMs,
  liftRound,
  type LiftTarget,
  type LiftTools,
  noteScopeMissing,
  type ScopeLift,
} from './lift-round.ts';

/** How a process asks for the end of what it still does for objects that are gone. */
export interface StopSignals {
  /** What is due may be finished; nothing is waited for any more. */
  readonly asked: AbortSignal;
  readonly cut: AbortSignal;
}

export interface LiftOptions {
  readonly tools: LiftTools & { readonly random: Random };
  readonly target: LiftTarget;
  /** Scopes at a time. */
  readonly workers: number;
  readonly stop: StopSignals;
}

interface Rounds extends ScopeLift {
  /** In a row. */
  failures: number;
  /** The code of the last failure that was logged. */
  logged: string | undefined;
  /** True while a round is under way or follows at once. */
  isDue: boolean;
}

const dayMs = 86_400_000;
/** The bound for a service or a credential that does not come back. */
const longestLiftMs = 7 * dayMs;
const soonMs = 2000;
const backoffJitter = 0.2;

export class Lift {
  readonly #options: LiftOptions;
  readonly #lane: Lane;
  readonly #open = new Map<string, Rounds>();
  readonly #endsAtMs: number;
  /** Of what concerns the connection, in a row. */
  #failures = 0;
  #pausedUntilMs = -Infinity;
  #end: () => void = () => undefined;

  constructor(options: LiftOptions) {
    this.#options = options;
    const { clock } = options.tools;
    this.#endsAtMs = clock.monotonic() + longestLiftMs;
    this.#lane = new Lane({ clock, workers: options.workers, work: (scope, shift) => this.#work(scope, shift) });
  }

  /** Never rejects. Resolves when nothing is left, when it was stopped, or after a week; what is left then is logged. */
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
    await this.#lane.stop(0);
    for (const { scope, left } of this.#open.values()) this.#logLeft(scope, left);
  }

  #begin(scope: string): void {
    const left = this.#options.target.ledger.recordsOf(scope).map(({ alert }) => alert);
    this.#open.set(scope, {
      scope,
      left,
      sent: new Map(),
      waits: noWaits,
      failures: 0,
      logged: undefined,
      isDue: true,
    });
    this.#lane.add(scope, 'resync');
  }

  #check(): void {
    const { asked, cut } = this.#options.stop;
    const isIdle = [...this.#open.values()].every(({ isDue }) => !isDue);
    if (this.#open.size === 0 || cut.aborted || (asked.aborted && isIdle)) this.#end();
  }

  async #work(scope: string, shift: Shift): Promise<number | undefined> {
    const rounds = this.#open.get(scope);
    if (!rounds) return undefined;
    rounds.isDue = true;
    const delayMs = await this.#round(rounds, shift).catch((error: unknown) => this.#failed(rounds, error));
    if (delayMs === undefined) this.#open.delete(scope);
    else rounds.isDue = delayMs <= soonMs;
    this.#check();
    return delayMs;
  }

  async #round(rounds: Rounds, { signal, patience }: Shift): Promise<number | undefined> {
    const { tools, target } = this.#options;
    const nowMs = tools.clock.monotonic();
    if (nowMs >= this.#endsAtMs) return this.#giveUp(rounds);
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs - nowMs;
    const delayMs = await liftRound(tools, target, rounds, { priority: 'high', signal, patience });
    this.#failures = 0;
    rounds.failures = 0;
    rounds.logged = undefined;
    return delayMs;
  }

  /** Nothing more is tried; what is left is logged as an error of its own. */
  #giveUp({ scope, left }: Rounds): undefined {
    this.#logLeft(scope, left);
  }

  /** The delay until the next round; undefined when the scope is gone for good. */
  #failed(rounds: Rounds, error: unknown): number | undefined {
    const { tools, target } = this.#options;
    if (isOperatorError(error, 'stopped')) return liftIntervalMs;
    if (isOperatorError(error, 'scope-not-found') && noteScopeMissing(tools, target, rounds.scope)) return undefined;
    const known = error instanceof OperatorError ? error : new OperatorError('local', messageOf(error));
    const failure = failureOf(known);
    rounds.failures++;
    if (failure.connection !== 'Connected') this.#pause(failure, known);
    const delayMs = this.#delayMs(failure, known, rounds.failures);
    this.#logFailed(rounds, known, delayMs);
    return delayMs;
  }

  /** It concerns the connection, so no scope is worth a request before one may try again. */
  #pause(failure: LookFailure, error: OperatorError): void {
    this.#failures++;
    const untilMs = this.#options.tools.clock.monotonic() + this.#delayMs(failure, error, this.#failures);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  /** A credential that is gone may come back, but not in answer to being asked for. */
  #delayMs({ pace }: LookFailure, { retryAfterMs }: OperatorError, failures: number): number {
    const facts = { intervalMs: liftIntervalMs, failures, retryAfterMs };
    const delayMs = failureDelayMs(pace === 'credential' ? 'backoff' : pace, facts);
    return pace === 'retry-after' ? delayMs : jitter(this.#options.tools.random, delayMs, backoffJitter);
  }

  /** Once for each kind of failure in a row. */
  #logFailed(rounds: Rounds, { code, message, detail }: OperatorError, delayMs: number): void {
    if (rounds.logged === code) return;
    rounds.logged = code;
    const { scope, left: alerts } = rounds;
    const facts = { connection: this.#options.target.connection, scope, alerts, code, error: message, detail, delayMs };
    this.#options.tools.log.error(facts, 'dismissals not lifted yet, their connection was deleted');
  }

  #logLeft(scope: string, alerts: readonly string[]): void {
    if (alerts.length === 0) return;
    const facts = { connection: this.#options.target.connection, scope, alerts };
    this.#options.tools.log.error(facts, 'dismissals not lifted, their connection was deleted');
  }
}
