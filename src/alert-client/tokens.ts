// Caches the token of one credential in memory: all waiting callers share one fetch, a background fetch renews the token
// while it is still valid, and the cache drops a token that the service rejects. The fetch is a parameter;
// credential-tokens.ts decides how long the credential may be used.
import { AlertsError } from '../alerts/alerts-error.ts';
import { Cached, type Loaded } from '../lib/cached.ts';
import type { Clock } from '../lib/clock.ts';
import { type CodedError, errorFields, isCoded } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { jitter, type Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { failureHoldMs } from './failure-hold.ts';

export interface TokenSource {
  /**
   * The token itself while it can be used, as for nearly every request; otherwise a promise, which rejects with what reading the
   * credential throws, and `token-endpoint-failed`, `tls-failed`, `endpoint-invalid`, `stopped`.
   */
  token(signal: AbortSignal): MaybePromise<SecretText>;
  /** The service rejected `token`. True when a retry with `token()` may succeed. */
  invalidate(token: SecretText): boolean;
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
  readonly #clock: Clock;
  readonly #token: Cached<SecretText>;
  #replacedAtMs = -Infinity;

  constructor({ clock, random, log, timeoutMs, fetchToken }: TokenCacheOptions) {
    this.#clock = clock;
    this.#token = new Cached({
      clock,
      load: async (signal) => toLoaded(await fetchToken(signal), clock.monotonic(), random),
      deadlineMs: timeoutMs,
      late: () => new AlertsError('token-endpoint-failed', 'The token endpoint did not respond before the deadline.'),
      toFailure: toCodedError,
      holdMs: (failure, count) => Math.max(failureHoldMs(count, random), leastHoldMs(failure)),
      isKeptAfter: () => true,
      isServedStale: true,
      onKept: (failure) => log.warn(errorFields(failure), 'token renewal failed, the current token is still valid'),
    });
  }

  /** See `TokenSource.token`. */
  token(signal: AbortSignal): MaybePromise<SecretText> {
    return this.#token.current(signal);
  }

  /** True while `token` is the current one. */
  keeps(token: SecretText): boolean {
    return this.#token.value?.equals(token) ?? false;
  }

  /** See `TokenSource.invalidate`. */
  invalidate(token: SecretText): boolean {
    if (!this.keeps(token)) return true;
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#replacedAtMs < replaceEveryMs) return false;
    this.#token.drop();
    this.#replacedAtMs = nowMs;
    return true;
  }
}

function toLoaded({ token, lifeMs = Infinity }: FetchedToken, nowMs: number, random: Random): Loaded<SecretText> {
  const renewAfterMs = lifeMs === Infinity ? Infinity : jitter(random, lifeMs * renewAtLife, renewJitter);
  return { value: token, staleAtMs: nowMs + renewAfterMs, endsAtMs: nowMs + lifeMs * endsAtLife };
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
