// Caches a value of the API server (a key of a Secret or of a ConfigMap). A caller asks for the value before each request,
// which reads it again when the last read is a minute old. So a deleted or changed value is used for at most a minute, and a
// connection without requests reads nothing.
import type { Clock } from '../lib/clock.ts';
import { CodedError, isCoded, StoppedError } from '../lib/errors.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Random } from '../lib/random.ts';
import { within } from '../lib/within.ts';
import { untilAborted } from './cancelled.ts';
import { FailureHold } from './failure-hold.ts';

/** `read-timeout`: no response before the deadline. `read-failed`: a bug here or in `read`. */
export type ReadingErrorCode = 'read-timeout' | 'read-failed';

export class ReadingError extends CodedError<ReadingErrorCode> {}

/** The one error of the API server that is handled here. */
type KubeReadErrorCode = 'kube-unreachable';

export type Read<T> = (signal: AbortSignal) => Promise<T>;

export interface ReadingOptions<T> {
  readonly clock: Clock;
  readonly random: Random;
  /** A rejection with `kube-unreachable` or `stopped` keeps the last value in use; every other one ends its use. */
  readonly read: Read<T>;
}

interface Kept<T> {
  readonly value: T;
  /** Monotonic, when the read began: it may miss a change that happened during the read. */
  readonly readAtMs: number;
  /** The number of `expire` calls before that. */
  readonly expiries: number;
}

export const readAgainAfterMs = 60_000;
export const readDeadlineMs = 10_000;

export class Reading<T> {
  readonly #options: ReadingOptions<T>;
  readonly #hold: FailureHold;
  #kept: Kept<T> | undefined;
  #expiries = 0;
  #underWay: Promise<T> | undefined;
  #count = 0;

  constructor(options: ReadingOptions<T>) {
    this.#options = options;
    this.#hold = new FailureHold(options);
  }

  /** The number of reads so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * The value itself when it was read within the last minute; otherwise a promise of the value as read now, or as last read while
   * the API server is unreachable. It rejects as `read` does, and with `stopped` when the signal aborts.
   */
  current(signal: AbortSignal): MaybePromise<T> {
    if (this.#kept && this.#isFresh(this.#kept)) return this.#kept.value;
    return untilAborted(this.#readOnce(), signal);
  }

  /** Makes the next call read the value again, because it may be the cause of a failure. */
  expire(): void {
    this.#expiries += 1;
  }

  #isFresh({ readAtMs, expiries }: Kept<T>): boolean {
    return expiries === this.#expiries && this.#options.clock.monotonic() - readAtMs < readAgainAfterMs;
  }

  /** One read at a time, shared by all callers and tied to no caller's signal. */
  #readOnce(): Promise<T> {
    const failure = this.#hold.error;
    if (failure) return this.#kept ? Promise.resolve(this.#kept.value) : Promise.reject(failure);
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #read(): Promise<T> {
    const begun = { readAtMs: this.#options.clock.monotonic(), expiries: this.#expiries };
    this.#count += 1;
    try {
      const value = await this.#readInTime();
      this.#hold.clear();
      this.#kept = { ...begun, value };
      return value;
    } catch (error) {
      return this.#afterFailure(toCodedError(error));
    }
  }

  #afterFailure(error: CodedError): T {
    this.#hold.note(error);
    if (!isUnanswered(error)) this.#kept = undefined;
    if (!this.#kept) throw error;
    return this.#kept.value;
  }

  async #readInTime(): Promise<T> {
    const deadline = new AbortController();
    const value = await within(this.#options.clock, readDeadlineMs, this.#options.read(deadline.signal));
    if (value !== 'late') return value;
    deadline.abort();
    throw new ReadingError('read-timeout', 'The API server did not respond before the deadline.');
  }
}

/** True when a read got no response, which proves nothing about the value: the last one stays in use. */
function isUnanswered(error: CodedError): boolean {
  return (
    error instanceof StoppedError ||
    isCoded<KubeReadErrorCode | ReadingErrorCode>(error, 'kube-unreachable', 'read-timeout')
  );
}

/** Any other error is a bug, and its text may contain the credential, so it is replaced. */
function toCodedError(error: unknown): CodedError {
  if (isCoded(error)) return error;
  return new ReadingError('read-failed', 'The value could not be read.');
}
