// A value of the API server (a key of a Secret or of a ConfigMap) as it was last read there. A caller asks for the value
// before each request, and it is read again when the last reading is a minute old: so what is gone or changed is used for a minute
// at most, and a connection without requests reads nothing.
import type { Clock } from '../lib/clock.ts';
import { CodedError, isCodedError } from '../lib/errors.ts';
import type { Random } from '../lib/random.ts';
import { within } from '../lib/within.ts';
import { untilAborted } from './cancelled.ts';
import { FailureHold } from './failure-hold.ts';

export type Read<T> = (signal: AbortSignal) => Promise<T>;

export interface ReadingOptions<T> {
  readonly clock: Clock;
  readonly random: Random;
  /** Rejects with `kube-unreachable` when the API server gave no answer; every other failure ends the use of the value. */
  readonly read: Read<T>;
}

interface Kept<T> {
  readonly value: T;
  /** Monotonic, of the beginning: what changed while it was read may not be in it. */
  readonly readAtMs: number;
  /** How often the value had been expired then. */
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

  /** How often it was read. */
  get count(): number {
    return this.#count;
  }

  /**
   * The value as read within the last minute. While the API server cannot be reached, as read last: then nothing else can have
   * reached it either. Rejects with what `read` rejects with, and with `stopped` when the signal aborts.
   */
  async current(signal: AbortSignal): Promise<T> {
    if (this.#kept && this.#isFresh(this.#kept)) return this.#kept.value;
    return untilAborted(this.#readOnce(), signal);
  }

  /** The next one who asks has it read again, however old it is: it may be the cause of a failure. */
  expire(): void {
    this.#expiries += 1;
  }

  #isFresh({ readAtMs, expiries }: Kept<T>): boolean {
    return expiries === this.#expiries && this.#options.clock.monotonic() - readAtMs < readAgainAfterMs;
  }

  /** One reading at a time, shared by all who ask; no caller's signal ends it. */
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
    if (!isCodedError(error, 'kube-unreachable', 'stopped')) this.#kept = undefined;
    if (!this.#kept) throw error;
    return this.#kept.value;
  }

  async #readInTime(): Promise<T> {
    const deadline = new AbortController();
    const value = await within(this.#options.clock, readDeadlineMs, this.#options.read(deadline.signal));
    if (value !== 'late') return value;
    deadline.abort();
    throw new CodedError('kube-unreachable', 'The API server did not answer before the deadline.');
  }
}

/** Anything else is a fault of ours or of the port; its text may hold the credential, so it is not passed on. */
function toCodedError(error: unknown): CodedError {
  if (isCodedError(error)) return error;
  return new CodedError('kube-invalid', 'The value could not be read.');
}
