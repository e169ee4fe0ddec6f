// Maps a response to the error code that the reconcile loop acts on (the table "Errors" of src/README.md), as one total
// function. The specification lists no error codes (section 7), so only the status decides. The error body shows one
// more thing: whether the service itself rejected a LIST, or a proxy did.
import { AlertsError, type AlertsErrorCode } from '../../alerts/alerts-error.ts';
import { cleanText } from '../../lib/clean-text.ts';
import { objectOf, ownMember, parseJson, stringOf } from '../../lib/json-shape.ts';
import { jitter, type Random } from '../../lib/random.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import type { ResponseHead } from '../../lib/undici-call.ts';
import { firstHeader, type HttpResponse } from './http-call.ts';

export type ServiceOperation = 'list' | 'patch';

export interface ResponseFacts {
  readonly status: number;
  /** The body has the form of section 2.8. */
  readonly hasErrorBody: boolean;
  /** The service is throttling requests. */
  readonly isThrottled: boolean;
}

/** `unproven`: a success status that the specification does not define for a PATCH. Only a LIST can prove the change. */
export type Success = 'succeeded' | 'unproven';

type Failure = readonly [code: AlertsErrorCode, message: string];

/** Returns a success or a failure for every number. */
export function classify(operation: ServiceOperation, response: ResponseFacts): Success | Failure {
  return (
    classifySuccess(operation, response.status) ?? classifyForAll(response) ?? classifyRefusal(operation, response)
  );
}

function classifySuccess(operation: ServiceOperation, status: number): Success | Failure | undefined {
  if (!(status >= 200 && status <= 299)) return undefined;
  if (operation === 'patch') return status === 204 ? 'succeeded' : 'unproven';
  if (status === 200) return 'succeeded';
  return ['service-protocol', 'The service responded to the LIST with a success status other than 200.'];
}

/** Statuses that mean the same for both operations. */
function classifyForAll({ status, isThrottled }: ResponseFacts): Failure | undefined {
  if (status === 401) return ['service-denied', 'The service did not accept the credential.'];
  if (isThrottled) return ['service-busy', 'The service is throttling requests.'];
  if (status === 408 || (status >= 500 && status <= 599)) {
    return ['service-unreachable', 'The service reported an internal failure.'];
  }
  if (status >= 300 && status <= 399) {
    return ['service-protocol', 'The service responded with a redirect; redirects are not followed.'];
  }
  if (!(status >= 400 && status <= 499)) {
    return ['service-protocol', 'The service responded with a status that HTTP does not define.'];
  }
  return undefined;
}

/** 4xx. A rejected PATCH concerns one alert; a rejected LIST concerns the scope. */
function classifyRefusal(operation: ServiceOperation, { status, hasErrorBody }: ResponseFacts): Failure {
  if (operation === 'patch') return ['alert-refused', 'The service rejected the change of the alert.'];
  if (status === 403) return ['scope-forbidden', 'The credential has no permission to list the scope.'];
  if (!hasErrorBody) {
    return ['service-protocol', 'The LIST failed with an error body that does not come from the service.'];
  }
  if (status === 404) return ['scope-not-found', 'The service does not know the scope.'];
  return ['service-rejected', 'The service rejected the LIST.'];
}

interface InterpretOptions {
  /** Masked wherever an error body echoes it. */
  readonly secret: SecretText;
  /** Wall time. */
  readonly nowMs: number;
  readonly random: Random;
}

/**
 * A success, or the error that the controller receives, with facts of the headers and the body for the log and the condition. The error is
 * returned, not thrown, because the client may retry after a rejected token.
 */
export function interpretResponse(
  operation: ServiceOperation,
  response: HttpResponse,
  { secret, nowMs, random }: InterpretOptions,
): Success | AlertsError {
  const { status } = response;
  const retryAfterMs = throttledMs(response, nowMs, random);
  const body = status >= 400 ? readErrorBody(response, secret) : undefined;
  const facts = { status, hasErrorBody: body !== undefined, isThrottled: retryAfterMs !== undefined };
  const found = classify(operation, facts);
  if (typeof found === 'string') return found;
  const [code, message] = found;
  return new AlertsError(code, message, {
    status,
    reason: code === 'service-protocol' ? 'ProtocolError' : undefined,
    retryAfterMs,
    serviceCode: body?.code,
    detail: detailOf(body?.message, requestIDOf(response, secret)),
  });
}

/** What the service says, and the id under which its log has the request. */
function detailOf(message: string | undefined, requestID: string | undefined): string | undefined {
  const parts = [message, requestID && `(x-request-id ${requestID})`].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Undefined when the response has none, or one that is no short identifier. */
function requestIDOf(response: HttpResponse, secret: SecretText): string | undefined {
  const text = withoutSecret(firstHeader(response.headers, 'x-request-id') ?? '', secret);
  return /^[A-Za-z0-9._~:/+=@-]{1,128}$/.test(text) ? text : undefined;
}

/** Ignores the content type: whatever parses as an error body is one. */
function readErrorBody({ body }: HttpResponse, secret: SecretText): ErrorBody | undefined {
  if (body === undefined || body.length === 0) return undefined;
  return decodeErrorBody(parseJson(body.toString('utf8')), secret);
}

/** The error body of section 2.8, read leniently: the status classifies a failure, the body only adds details. */
interface ErrorBody {
  /**
   * A condition may show it. Absent when the service sent none, or one that is not an identifier of up to 64 characters.
   */
  readonly code: string | undefined;
  /** Sanitized, up to 512 characters. May name people and requests: for the log only, never for a status or an Event. */
  readonly message: string | undefined;
}

const identifier = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const messageLength = 512;

/** Undefined when `json` is not an error body. Masks every occurrence of `secret`. */
export function decodeErrorBody(json: unknown, secret?: SecretText): ErrorBody | undefined {
  const error = objectOf(ownMember(objectOf(json), 'error'));
  const code = stringOf(ownMember(error, 'code'));
  const message = stringOf(ownMember(error, 'message'));
  if (code === undefined && message === undefined) return undefined;
  return {
    code: identifierOf(withoutSecret(code ?? '', secret)),
    message: cleanText(withoutSecret(message ?? '', secret), messageLength) || undefined,
  };
}

/** `text` when it is an identifier, else undefined. */
export function identifierOf(text: string): string | undefined {
  return identifier.test(text) ? text : undefined;
}

/** A service or a token endpoint may echo the secret; the log must not show it. */
export function withoutSecret(text: string, secret: SecretText | undefined): string {
  const hidden = secret?.reveal() ?? '';
  return hidden === '' ? text : text.replaceAll(hidden, String(secret));
}

/** The longest pause, whatever the header says: a typing error must not stop a connection for a year. */
export const longestBusyMs = 3_600_000;

/** Used when the service sent no usable time. Jittered, so that connections do not resume at the same moment. */
const defaultBusyMs = 5000;
const defaultBusyJitter = 0.5;

/**
 * The value of Retry-After (RFC 9110, 10.2.3) in milliseconds, from 0 to Infinity; undefined when it is invalid. A date counts from the response's
 * own `Date` header, so that a wrong clock on either side has no effect, or else from `nowMs`.
 */
export function parseRetryAfter(value: string, nowMs: number, responseDate?: string): number | undefined {
  const text = value.trim();
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
  const dateMs = parseHttpDate(text);
  if (dateMs === undefined) return undefined;
  const sentMs = responseDate === undefined ? undefined : parseHttpDate(responseDate.trim());
  return Math.max(0, dateMs - (sentMs ?? nowMs));
}

/** The length of the pause: the requested time up to an hour, or a jittered default when it is absent, zero or invalid. */
export function busyDelayMs(requestedMs: number | undefined, random: Random): number {
  if (requestedMs === undefined || !(requestedMs > 0)) return jitter(random, defaultBusyMs, defaultBusyJitter);
  return Math.min(requestedMs, longestBusyMs);
}

/** How long to leave a server alone after this response; undefined unless it is throttling requests. `nowMs`: wall time. */
export function throttledMs({ status, headers }: ResponseHead, nowMs: number, random: Random): number | undefined {
  const header = firstHeader(headers, 'retry-after');
  if (status !== 429 && (status !== 503 || header === undefined)) return undefined;
  const requestedMs = header === undefined ? undefined : parseRetryAfter(header, nowMs, firstHeader(headers, 'date'));
  return busyDelayMs(requestedMs, random);
}

const httpDate = /^[A-Za-z]{3,9}, \d\d[ -][A-Za-z]{3}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;

/** The two forms of RFC 9110, 5.6.7 with a time zone. */
function parseHttpDate(text: string): number | undefined {
  if (!httpDate.test(text)) return undefined;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : dateMs;
}
