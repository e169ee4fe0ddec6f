// The token of one credential, in memory only: all waiting callers share one fetch, and a background fetch renews the token while it is
// still valid. service-way.ts decides how long the credential may be used, and drops a token that the service rejects.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { Cached, type Loaded } from '../../lib/cached.ts';
import type { Clock } from '../../lib/clock.ts';
import { type CodedError, errorFields, isCoded } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { jitter, type Random } from '../../lib/random.ts';
import type { SecretText } from '../../lib/secret-text.ts';

export interface FetchedToken {
  readonly token: SecretText;
  /** Undefined for a token that lasts until it is rejected. */
  readonly lifeMs: number | undefined;
}

export interface TokensOptions {
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
/** As for events (operator/kube/send-event.ts). */
const longestApiServerHoldMs = 30_000;

/** The tokens of one credential. They reject with what `fetchToken` rejects with. */
export function createTokens({ clock, random, log, timeoutMs, fetchToken }: TokensOptions): Cached<SecretText> {
  return new Cached({
    clock,
    load: async (signal) => toLoaded(await fetchToken(signal), clock.monotonic(), random),
    deadlineMs: timeoutMs,
    late: () => new AlertsError('token-endpoint-failed', 'The token endpoint did not respond before the deadline.'),
    toFailure: toCodedError,
    leastHoldMs,
    isKeptAfter: () => true,
    isServedStale: true,
    onKept: (failure) => log.warn(errorFields(failure), 'token renewal failed, the current token is still valid'),
  });
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
