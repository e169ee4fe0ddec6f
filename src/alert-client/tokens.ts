// Caches the token of one credential in memory: all waiting callers share one fetch, a background fetch renews the token
// while it is still valid, and the cache drops a token that the service rejects. The fetch is a parameter;
// credential-tokens.ts decides how long the credential may be used.
import { AlertsError } from '../alerts/alerts-error.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { type CodedError, errorFields, isCoded } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { jitter, type Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { untilAborted } from './cancelled.ts';
import { FailureHold } from './failure-hold.ts';

export interface TokenSource {
  /**
   * The token itself while it can be used, as for nearly every request; otherwise a promise, which rejects with what reading the
   * credential throws, and `token-endpoint-failed`, `tls-failed`, `endpoint-invalid`, `stopped`.
   */
  token(signal: AbortSignal): MaybePromise<SecretText>;
  /** The service rejected `token`. True when a retry with `token()` may succeed. */
  invalidate(token: SecretText): boolean;
  /** Reads the credential again. True when it differs from the last rejected one, or can no longer be used. */
  credentialChanged(signal: AbortSignal): Promise<boolean>;
}

export interface FetchedToken {
  readonly token: SecretText;
  /** Undefined for a token that lasts until it is rejected. */
  readonly lifeMs: number | undefined;
}

export interface TokenCacheOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** For one request to the token endpoint. */
  readonly timeoutMs: number;
  readonly fetchToken: (signal: AbortSignal) => Promise<FetchedToken>;
}

interface KeptToken {
  readonly token: SecretText;
  readonly renewAtMs: number;
  readonly endsAtMs: number;
}

const renewAtLife = 0.8;
const renewJitter = 0.05;
/** The rest allows for requests in flight and clock skew. */
const endsAtLife = 0.95;
/** A second rejection within this time after a replacement means that the credential itself is not accepted. */
const replaceEveryMs = 20_000;
/** As for events (kube/send-event.ts). */
const longestApiServerHoldMs = 30_000;

/** The tokens of one credential. */
export class TokenCache {
  readonly #options: TokenCacheOptions;
  #kept: KeptToken | undefined;
  #fetching: Promise<SecretText> | undefined;
  #replacedAtMs = -Infinity;
  readonly #hold: FailureHold;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
    this.#hold = new FailureHold(options);
  }

  token(signal: AbortSignal): MaybePromise<SecretText> {
    const nowMs = this.#options.clock.monotonic();
    const kept = this.#kept;
    if (!kept || nowMs >= kept.endsAtMs) return untilAborted(this.#fetchOnce(), signal);
    if (nowMs >= kept.renewAtMs && !this.#hold.error) this.#renewInBackground();
    return kept.token;
  }

  /** True while `token` is the current one. */
  keeps(token: SecretText): boolean {
    return this.#kept?.token.equals(token) ?? false;
  }

  /** See `TokenSource.invalidate`. */
  invalidate(token: SecretText): boolean {
    if (!this.keeps(token)) return true;
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#replacedAtMs < replaceEveryMs) return false;
    this.#kept = undefined;
    this.#replacedAtMs = nowMs;
    return true;
  }

  #renewInBackground(): void {
    this.#fetchOnce().catch((error: unknown) => {
      this.#options.log.warn(errorFields(error), 'token renewal failed, the current token is still valid');
    });
  }

  /** One fetch at a time, shared by all callers and tied to no caller's signal. */
  #fetchOnce(): Promise<SecretText> {
    const failure = this.#hold.error;
    if (failure) return Promise.reject(failure);
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<SecretText> {
    const { clock, timeoutMs, fetchToken } = this.#options;
    try {
      const fetched = await withDeadline(clock, timeoutMs, fetchToken);
      this.#keep(fetched);
      this.#hold.clear();
      return fetched.token;
    } catch (error) {
      const failure = toCodedError(error);
      this.#hold.note(failure, leastHoldMs(failure));
      throw failure;
    }
  }

  #keep({ token, lifeMs = Infinity }: FetchedToken): void {
    const { clock, random } = this.#options;
    const nowMs = clock.monotonic();
    const renewAfterMs = lifeMs === Infinity ? Infinity : jitter(random, lifeMs * renewAtLife, renewJitter);
    this.#kept = { token, renewAtMs: nowMs + renewAfterMs, endsAtMs: nowMs + lifeMs * endsAtLife };
  }
}

/** The token endpoint may ask for an hour (token-endpoint-failure.ts), the API server only for seconds: it recovers without notice. */
function leastHoldMs(failure: CodedError): number {
  const { retryAfterMs = 0 } = failure;
  return failure instanceof AlertsError ? retryAfterMs : Math.min(retryAfterMs, longestApiServerHoldMs);
}

/** Any other error is a bug, and its text may contain the credential, so it is replaced. */
function toCodedError(error: unknown): CodedError {
  if (isCoded(error)) return error;
  return new AlertsError('token-endpoint-failed', 'The token could not be fetched.');
}

/** Rejects when `work` exceeds the deadline, even if `work` ignores its signal. */
async function withDeadline<T>(clock: Clock, timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController();
  let timer: Timer | undefined;
  const passed = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimer(timeoutMs, () => {
      reject(new AlertsError('token-endpoint-failed', 'The token endpoint did not respond before the deadline.'));
      deadline.abort();
    });
  });
  try {
    return await Promise.race([work(deadline.signal), passed]);
  } finally {
    timer?.cancel();
  }
}
