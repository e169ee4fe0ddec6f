// The last failure of something that many ask for, repeated to all of them until its time is over: a broken endpoint is not
// asked once per scope.
import type { Clock } from '../lib/clock.ts';
import { CodedError } from '../lib/errors.ts';
import { jitter, type Random } from '../lib/random.ts';

const firstHoldMs = 1000;
/** With its jitter below the 30 s after which the loop reads a broken connection's Secret again. */
const longestHoldMs = 20_000;

export class FailureHold {
  readonly #clock: Clock;
  readonly #random: Random;
  #failure: { readonly error: CodedError; readonly heldUntilMs: number; readonly count: number } | undefined;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The failure, with how long it is pointless to ask again; undefined when it is time to ask. */
  get error(): CodedError | undefined {
    const leftMs = (this.#failure?.heldUntilMs ?? 0) - this.#clock.monotonic();
    return this.#failure && leftMs > 0 ? held(this.#failure.error, leftMs) : undefined;
  }

  /** Held for 1 s, doubling up to 20 s with every failure in a row, and at least for `leastMs`. */
  note(error: CodedError, leastMs = 0): void {
    const count = (this.#failure?.count ?? 0) + 1;
    const backOffMs = Math.min(firstHoldMs * 2 ** (count - 1), longestHoldMs);
    const holdMs = Math.max(jitter(this.#random, backOffMs, 0.2), leastMs);
    this.#failure = { error, heldUntilMs: this.#clock.monotonic() + holdMs, count };
  }

  clear(): void {
    this.#failure = undefined;
  }
}

function held(error: CodedError, leftMs: number): CodedError {
  return new CodedError(error.code, error.message, {
    retryAfterMs: leftMs,
    ...(error.reason !== undefined && { reason: error.reason }),
    ...(error.status !== undefined && { status: error.status }),
    ...(error.serviceCode !== undefined && { serviceCode: error.serviceCode }),
    ...(error.detail !== undefined && { detail: error.detail }),
  });
}
