// Remembers the last failure of a shared operation and returns it to every caller until a back-off ends, so that a broken
// endpoint does not receive one request per scope.
import { AlertsError } from '../alerts/alerts-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { CodedError } from '../lib/errors.ts';
import { jitter, type Random } from '../lib/random.ts';

const firstHoldMs = 1000;
/** With jitter, less than the 30 s after which the controller reads the Secret of a failed connection again. */
const longestHoldMs = 20_000;

export class FailureHold {
  readonly #clock: Clock;
  readonly #random: Random;
  #failure: { readonly error: CodedError; readonly heldUntilMs: number; readonly count: number } | undefined;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The failure, with the time left of its back-off; undefined once that has ended. */
  get error(): CodedError | undefined {
    const leftMs = (this.#failure?.heldUntilMs ?? 0) - this.#clock.monotonic();
    return this.#failure && leftMs > 0 ? held(this.#failure.error, leftMs) : undefined;
  }

  /** Holds the error for 1 s, doubling with every failure in a row up to 20 s, and for at least `leastMs`. */
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

/** Only an error of the service has a delay that callers use. */
function held(error: CodedError, leftMs: number): CodedError {
  if (!(error instanceof AlertsError)) return error;
  return new AlertsError(error.code, error.message, {
    retryAfterMs: leftMs,
    ...(error.reason !== undefined && { reason: error.reason }),
    ...(error.status !== undefined && { status: error.status }),
    ...(error.serviceCode !== undefined && { serviceCode: error.serviceCode }),
    ...(error.detail !== undefined && { detail: error.detail }),
  });
}
