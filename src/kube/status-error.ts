// An answer of the API server that is not a success, turned into the error that the loops act on.
import { cleanText } from '../lib/clean-text.ts';
import { CodedError, type ErrorCode, type ErrorFacts } from '../lib/errors.ts';
import type { ResponseHead } from '../lib/undici-call.ts';

/** The part of a Kubernetes `Status` that is used: as an answer's body and inside a watch's ERROR event. */
export interface StatusFacts {
  readonly code: number;
  /** `AlreadyExists`, `Expired`, `NotFound`, … Absent when the answer was not a `Status`. */
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterMs?: number;
}

const messages: Readonly<Partial<Record<ErrorCode, string>>> = {
  'kube-conflict': 'The object was changed by somebody else in the meantime.',
  'kube-gone': 'The API server no longer has this resource version.',
  'kube-not-found': 'The API server does not have this object or resource.',
  'kube-denied': 'The API server refused the credential or the permission is missing.',
  'kube-invalid': 'The API server refused the request as invalid.',
  'kube-unreachable': 'The API server did not answer as expected.',
};

/** The error of a refused request. Its detail is the server's message, cleaned and capped. */
export function errorOfStatus(status: StatusFacts): CodedError {
  const code = codeOfStatus(status.code);
  return new CodedError(code, messages[code] ?? 'The API server refused the request.', {
    status: status.code,
    ...(status.reason === undefined ? {} : { reason: status.reason }),
    ...(status.message === undefined ? {} : { detail: cleanText(status.message, 512) }),
    ...(status.retryAfterMs === undefined ? {} : { retryAfterMs: status.retryAfterMs }),
  });
}

/** The error of a request that got no answer, or one that cannot be read. */
export function unreachable(detail: string, facts: ErrorFacts = {}): CodedError {
  return new CodedError('kube-unreachable', 'The API server could not be reached or did not answer in time.', {
    detail: cleanText(detail, 512),
    ...facts,
  });
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 409) return 'kube-conflict';
  if (status === 410) return 'kube-gone';
  if (status === 404) return 'kube-not-found';
  if (status === 401 || status === 403) return 'kube-denied';
  if (status === 408 || status === 429) return 'kube-unreachable';
  return status >= 400 && status < 500 ? 'kube-invalid' : 'kube-unreachable';
}

/** The error of an answer of the API server that is not a success. */
export function errorFromResponse(head: ResponseHead, body: string): CodedError {
  const retryAfter = head.headers['retry-after'];
  return errorOfStatus(decodeStatus(head.status, body, typeof retryAfter === 'string' ? retryAfter : undefined));
}

/** Reads a `Status` from an answer; a body that is none of it (a proxy's page) still counts with its HTTP status. */
function decodeStatus(httpStatus: number, body: string, retryAfter: string | undefined): StatusFacts {
  const status = decodeStatusObject(parseJson(body));
  const retryAfterMs = retryAfterMsOf(retryAfter) ?? status?.retryAfterMs;
  return {
    ...(status ?? (body === '' ? {} : { message: body.slice(0, 2048) })),
    code: httpStatus,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Reads a `Status` object; `undefined` when it is not one. A missing code counts as 500. */
export function decodeStatusObject(value: unknown): StatusFacts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, code, reason, message, details } = value as Record<string, unknown>;
  if (kind !== 'Status') return undefined;
  const seconds =
    typeof details === 'object' && details !== null ? (details as Record<string, unknown>)['retryAfterSeconds'] : 0;
  return {
    code: typeof code === 'number' ? code : 500,
    ...(typeof reason === 'string' && reason !== '' ? { reason: cleanText(reason, 64) } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof seconds === 'number' && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}),
  };
}

/** The API server only sends whole seconds; a date (from a proxy) is left out, the back-off serves instead. */
function retryAfterMsOf(header: string | undefined): number | undefined {
  return header !== undefined && /^[0-9]{1,9}$/.test(header) ? Number(header) * 1000 : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
