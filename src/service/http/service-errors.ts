// Every error of the service: its code (`error.code` of section 2.8), its status, and the error body.
// Section 7 leaves codes, statuses and conditions undefined; this table defines them, and README.md repeats it.
import { jsonResponse, type ServiceResponse } from './message.ts';

export const serviceErrors = {
  InvalidTarget: { status: 400, when: 'the request target is not a path, or the Host header is not a host' },
  InvalidPath: { status: 400, when: 'the scope or alert name in the path is empty, too long or not decodable' },
  InvalidQuery: { status: 400, when: 'api-version or skipToken is repeated' },
  MissingApiVersion: { status: 400, when: 'api-version is absent or empty' },
  UnsupportedApiVersion: { status: 400, when: 'api-version is not the supported one' },
  InvalidSkipToken: { status: 400, when: 'skipToken did not come from a nextLink of this scope' },
  MalformedJson: { status: 400, when: 'the body of an update is not JSON in UTF-8' },
  InvalidBody: {
    status: 400,
    when: 'the body of an update has members other than properties.isActive, or isActive is not a boolean',
  },
  MalformedRequest: { status: 400, when: 'the request is not valid HTTP' },
  AuthenticationRequired: { status: 401, when: 'the request has no bearer token' },
  InvalidToken: { status: 401, when: 'the bearer token is invalid or has expired' },
  InsufficientScope: { status: 403, when: 'the scopes of the token do not allow this operation' },
  ScopeForbidden: { status: 403, when: 'the caller may not access the scope, whether or not it exists' },
  RouteNotFound: { status: 404, when: 'no operation has this path' },
  ScopeNotFound: { status: 404, when: 'the service does not know the scope' },
  AlertNotFound: { status: 404, when: 'the scope has no alert of this name' },
  MethodNotAllowed: { status: 405, when: 'the path does not support the method; Allow lists the supported ones' },
  RequestTimeout: { status: 408, when: 'the request did not arrive in time' },
  PreconditionFailed: { status: 412, when: 'the preconditions of the request do not hold' },
  BodyTooLarge: { status: 413, when: 'the body is larger than 16 KiB' },
  UnsupportedMediaType: { status: 415, when: 'the body is not application/json, or is compressed' },
  TooManyRequests: { status: 429, when: 'the caller exceeds its rate limit; Retry-After has the delay' },
  TooManyWrongTokens: {
    status: 429,
    when: 'too many wrong bearer tokens came from the address of the caller; Retry-After has the delay',
  },
  HeadersTooLarge: { status: 431, when: 'the headers are larger than 16 KiB, or more than 100' },
  InternalError: { status: 500, when: 'the service failed; the request was not acknowledged' },
  StorageDamaged: { status: 500, when: 'bytes of the data file have changed on disk; the log names the alert' },
  UnknownTransferCoding: { status: 501, when: 'the body has a transfer coding other than chunked' },
  DatabaseUnavailable: {
    status: 503,
    when: 'the database is not reachable or not able; Retry-After has the delay, and an update may have taken effect',
  },
  ServerBusy: {
    status: 503,
    when: 'too many requests are in flight, or clients have not read too many bytes of responses; Retry-After has the delay',
  },
  StorageFull: {
    status: 507,
    when: 'the disk of the data file is full, so the update was not stored; lists are served',
  },
} as const satisfies Record<string, { status: number; when: string }>;

export type ServiceErrorCode = keyof typeof serviceErrors;

/** A response with the error body of section 2.8. `message` is for people and repeats nothing of the request. */
export function errorResponse(
  code: ServiceErrorCode,
  message: string,
  headers: Record<string, string> = {},
): ServiceResponse {
  return { ...jsonResponse(serviceErrors[code].status, errorBody(code, message), headers), errorCode: code };
}

/** Seconds after which a client may send a request again that the service could not answer now. */
const retryAfterSeconds = '1';

/** A 503. The client may send the request again. */
export function unavailable(code: 'ServerBusy' | 'DatabaseUnavailable', message: string): ServiceResponse {
  return errorResponse(code, message, { 'retry-after': retryAfterSeconds });
}

/** The JSON text of section 2.8. */
export function errorBody(code: ServiceErrorCode, message: string): string {
  return JSON.stringify({ error: { code, message } });
}
