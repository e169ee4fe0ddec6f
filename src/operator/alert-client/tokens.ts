// The token of one credential, in memory only: all waiting callers share one fetch, and a background fetch renews the token while it is
// still valid. And which text may be a token. service-way.ts decides how long the credential may be used, and drops a token that the service rejects.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { Cached, type Loaded } from '../../lib/cached.ts';
import { trimEnds } from '../../lib/clean-text.ts';
import type { Clock } from '../../lib/clock.ts';
import { type CodedError, errorFields, isCoded } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { jitter, type Random } from '../../lib/random.ts';
import { SecretText } from '../../lib/secret-text.ts';
import type { Transport } from './transport.ts';

export interface FetchedToken {
  readonly token: SecretText;
  /** Undefined for a token that lasts until it is rejected. */
  readonly lifeMs: number | undefined;
}

/** Fetches an access token, over sockets of the connection. */
export type FetchToken = (credential: SecretText, transport: Transport, signal: AbortSignal) => Promise<FetchedToken>;

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
/** As for events (operator/kube/event-recorder.ts). */
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

/** The token endpoint may ask for an hour (client-credentials.ts), the API server only for seconds: it recovers without notice. */
function leastHoldMs(failure: CodedError): number {
  const { retryAfterMs = 0 } = failure;
  return failure instanceof AlertsError ? retryAfterMs : Math.min(retryAfterMs, longestApiServerHoldMs);
}

/** Any other error is a bug, and its text may contain the credential, so it is replaced. */
function toCodedError(error: unknown): CodedError {
  if (isCoded(error)) return error;
  return new AlertsError('token-endpoint-failed', 'The token could not be fetched.');
}

const longestToken = 16_384;

/**
 * Validates the text that follows "Bearer " in a header, before any HTTP library sees it, because libraries often print a header that they
 * reject. Trims white space (Secrets often keep the last newline of a file). Throws `credential-missing` when nothing usable is left; the
 * message never contains a part of the credential.
 */
export function parseBearerToken(credential: SecretText): SecretText {
  const text = trimCredential(credential).reveal();
  if (text === '') throw emptyCredential();
  if (text.length > longestToken) throw unusable('The token in the Secret is too long.');
  if (!isHeaderSafe(text)) {
    throw unusable(
      'The token in the Secret contains a space, a line break or another character that is not allowed in a token.',
    );
  }
  return new SecretText(text);
}

export function emptyCredential(): AlertsError {
  return unusable('The value in the Secret is empty.');
}

function unusable(message: string): AlertsError {
  return new AlertsError('credential-missing', message, { reason: 'SecretInvalid' });
}

/** Without ASCII white space at both ends. */
export function trimCredential(credential: SecretText): SecretText {
  return new SecretText(trimEnds(credential.reveal(), '\t\n\f\r '));
}

/** Visible ASCII: wider than RFC 6750's b64token, and everything that a header accepts without quoting. */
export function isHeaderSafe(text: string): boolean {
  return text.length <= longestToken && /^[!-~]+$/.test(text);
}
