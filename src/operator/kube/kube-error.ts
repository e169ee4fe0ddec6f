// How a call of the API server fails: the error that the loops act on, and what a response without success is as such an error.
import { cleanText } from '../../lib/clean-text.ts';
import { CodedError, type ErrorFacts, isCoded, messageOf, StoppedError } from '../../lib/errors.ts';
import {
  isNonEmptyString,
  isPositiveNumber,
  isString,
  numberOf,
  objectOf,
  parseJson,
  stringOf,
} from '../../lib/json-shape.ts';
import type { ResponseHead } from '../../lib/undici-call.ts';

export type KubeErrorCode =
  | 'kube-conflict'
  | 'kube-gone'
  | 'kube-not-found'
  | 'kube-denied'
  | 'kube-invalid'
  | 'kube-unreachable';

/** The API server refused a request, or did not answer it as expected. */
export class KubeError extends CodedError<KubeErrorCode> {}

/** What every call of the API server rejects with. */
export type KubeFailure = KubeError | StoppedError;

/** Undefined instead of `kube-not-found`. */
export async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isKubeError(error, 'kube-not-found')) return undefined;
    throw error;
  }
}

/** True for a `KubeError` with one of the codes. */
export function isKubeError(error: unknown, ...codes: readonly KubeErrorCode[]): error is KubeError {
  return error instanceof KubeError && isCoded(error, ...codes);
}

/** The relevant part of a Kubernetes `Status`, which is the body of a response or the object of a watch's ERROR event. */
interface StatusFacts {
  readonly code: number;
  /** `AlreadyExists`, `Expired`, `NotFound`, … Absent when the body was not a `Status`. */
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterMs?: number | undefined;
}

const messages: Readonly<Record<KubeErrorCode, string>> = {
  'kube-conflict': 'The object was modified by another client.',
  'kube-gone': 'The API server no longer has this resource version.',
  'kube-not-found': 'The API server does not have this object or resource.',
  'kube-denied': 'The API server rejected the credential, or the permission is missing.',
  'kube-invalid': 'The API server rejected the request as invalid.',
  'kube-unreachable': 'The API server returned an unexpected response.',
};

/** The error of a rejected request. Its detail is the server's message, sanitized and truncated. */
export function errorOfStatus(status: StatusFacts): KubeError {
  const code = codeOfStatus(status.code);
  return new KubeError(code, messages[code], {
    status: status.code,
    reason: status.reason,
    detail: status.message === undefined ? undefined : cleanText(status.message, 512),
    retryAfterMs: status.retryAfterMs,
  });
}

/** The error of a request without a response, or with one that cannot be decoded. */
export function unreachable(detail: string, facts: ErrorFacts = {}): KubeError {
  return new KubeError('kube-unreachable', 'The API server could not be reached or did not respond as expected.', {
    detail: cleanText(detail, 512),
    ...facts,
  });
}

/** The error of a failed call. Other errors come from undici, or from reading the response. */
export function toKubeFailure(error: unknown): KubeFailure {
  if (error instanceof KubeError || error instanceof StoppedError) return error;
  return unreachable(messageOf(error), { cause: error });
}

function codeOfStatus(status: number): KubeErrorCode {
  if (status === 409) return 'kube-conflict';
  if (status === 410) return 'kube-gone';
  if (status === 404) return 'kube-not-found';
  if (status === 401 || status === 403) return 'kube-denied';
  if (status === 408 || status === 429) return 'kube-unreachable';
  return status >= 400 && status < 500 ? 'kube-invalid' : 'kube-unreachable';
}

/** The error of an unsuccessful response of the API server. */
export function errorFromResponse(head: ResponseHead, body: string): KubeError {
  const retryAfter = head.headers['retry-after'];
  return errorOfStatus(decodeStatus(head.status, body, stringOf(retryAfter)));
}

/** Decodes the `Status` in a response. For any other body (a proxy's page) the HTTP status counts. */
function decodeStatus(httpStatus: number, body: string, retryAfter: string | undefined): StatusFacts {
  const status = decodeStatusObject(parseJson(body));
  const retryAfterMs = retryAfterMsOf(retryAfter) ?? status?.retryAfterMs;
  return { ...(status ?? (body !== '' && { message: body.slice(0, 2048) })), code: httpStatus, retryAfterMs };
}

/** Decodes a `Status` object; `undefined` for anything else. A missing code counts as 500. */
export function decodeStatusObject(value: unknown): StatusFacts | undefined {
  const { kind, code, reason, message, details } = objectOf(value);
  if (kind !== 'Status') return undefined;
  const seconds = objectOf(details)['retryAfterSeconds'];
  return {
    code: numberOf(code) ?? 500,
    ...(isNonEmptyString(reason) ? { reason: cleanText(reason, 64) } : {}),
    ...(isString(message) ? { message } : {}),
    ...(isPositiveNumber(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
  };
}

/** The API server sends whole seconds only. Ignores a date (from a proxy); the back-off applies instead. */
function retryAfterMsOf(header: string | undefined): number | undefined {
  return header !== undefined && /^[0-9]{1,9}$/.test(header) ? Number(header) * 1000 : undefined;
}
