// One value that takes time to load, such as a token or a Secret. All callers share one load, which has a deadline. A stale value is loaded
// again, and after a failure the next load waits, so that a broken source does not receive one request per caller.
import { type Clock, within } from './clock.ts';
import { doublingMs } from './duration.ts';
import { type CodedError, unlessStopped } from './errors.ts';

/** What a load found, with monotonic times. */
export interface Loaded<T> {
  readonly value: T;
  /** When the next load is due. */
  readonly staleAtMs: number;
  /** When the use of the value ends, whether there is another one or not. Default: never. */
  readonly endsAtMs?: number;
}

export interface CachedOptions<T> {
  readonly clock: Clock;
  readonly load: (signal: AbortSignal) => Promise<Loaded<T>>;
  readonly deadlineMs: number;
  /** The failure of a load that has not ended at its deadline. */
  readonly late: () => Error;
  /** What callers receive for a failure of `load`. An unexpected one may contain what it loaded. */
  readonly toFailure: (error: unknown) => CodedError;
  /** The longest time from a failure to the next load, which begins with a second and doubles. Default: 20 s. */
  readonly longestHoldMs?: number;
  /** What a failure says of that time. */
  readonly leastHoldMs?: (failure: CodedError) => number;
  /** Whether the last value stays in use after this failure. */
  readonly isKeptAfter: (failure: CodedError) => boolean;
  /** For a stale value: callers receive it during the load, instead of waiting for the new one. Default: they wait. */
  readonly isServedStale?: boolean;
  /** Receives a failure that no caller receives, because the last value stays in use. */
  readonly onKept?: (failure: CodedError) => void;
}

interface Kept<T> extends Loaded<T> {
  /** The number of `expire` calls before its load began: it may miss what they were about. */
  readonly expiries: number;
}

interface Failure {
  readonly error: CodedError;
  readonly count: number;
  readonly heldUntilMs: number;
}

const firstHoldMs = 1000;
/** Less than the 30 s between the trials of a connection that failed. */
const defaultHoldMs = 20_000;

export class Cached<T> {
  readonly #options: CachedOptions<T>;
  #kept: Kept<T> | undefined;
  #failure: Failure | undefined;
  #loading: Promise<T> | undefined;
  #expiries = 0;

  constructor(options: CachedOptions<T>) {
    this.#options = options;
  }

  /** The last value, however old. */
  get value(): T | undefined {
    return this.#kept?.value;
  }

  /** Rejects with a failure, and with `stopped` when the signal aborts. */
  async current(signal?: AbortSignal): Promise<T> {
    const nowMs = this.#options.clock.monotonic();
    const kept = this.#usableAt(nowMs);
    if (kept && nowMs < kept.staleAtMs && kept.expiries === this.#expiries) return kept.value;
    const failure = this.#failure;
    if (failure && nowMs < failure.heldUntilMs) {
      if (!kept) throw failure.error;
      return kept.value;
    }
    const loading = this.#loadOnce();
    if (kept && this.#options.isServedStale) return kept.value;
    return await (signal ? unlessStopped(loading, signal) : loading);
  }

  /** Makes the next caller load the value again, because it may be the cause of a failure. It stays in use if that load fails. */
  expire(): void {
    this.#expiries += 1;
  }

  /** Ends the use of the value. */
  drop(): void {
    this.#kept = undefined;
  }

  #usableAt(nowMs: number): Kept<T> | undefined {
    return this.#kept && nowMs < (this.#kept.endsAtMs ?? Infinity) ? this.#kept : undefined;
  }

  /** One load at a time, shared by all callers and tied to no caller's signal. */
  #loadOnce(): Promise<T> {
    if (!this.#loading) {
      this.#loading = this.#load();
      this.#loading.catch(() => undefined);
    }
    return this.#loading;
  }

  async #load(): Promise<T> {
    const expiries = this.#expiries;
    try {
      this.#kept = { ...(await this.#loadInTime()), expiries };
      this.#failure = undefined;
      return this.#kept.value;
    } catch (error) {
      return this.#afterFailure(this.#options.toFailure(error));
    } finally {
      this.#loading = undefined;
    }
  }

  /** Fails at the deadline, even if `load` ignores its signal. */
  async #loadInTime(): Promise<Loaded<T>> {
    const { clock, load, deadlineMs, late } = this.#options;
    const deadline = new AbortController();
    const loaded = await within(clock, deadlineMs, load(deadline.signal));
    if (loaded !== 'late') return loaded;
    deadline.abort();
    throw late();
  }

  #afterFailure(error: CodedError): T {
    const { clock, longestHoldMs = defaultHoldMs, leastHoldMs, isKeptAfter, onKept } = this.#options;
    const nowMs = clock.monotonic();
    const count = (this.#failure?.count ?? 0) + 1;
    const holdMs = Math.max(doublingMs(count, firstHoldMs, longestHoldMs), leastHoldMs?.(error) ?? 0);
    this.#failure = { error, count, heldUntilMs: nowMs + holdMs };
    if (!isKeptAfter(error)) this.drop();
    const kept = this.#usableAt(nowMs);
    if (!kept) throw error;
    onKept?.(error);
    return kept.value;
  }
}
