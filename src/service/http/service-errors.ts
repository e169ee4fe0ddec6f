// Every error of the service: its code (section 2.8, error.code), its status, and the body they travel in.
// The specification lists no codes, statuses or conditions (section 7); this table is our choice, and README.md repeats it.
import { jsonResponse, type ServiceResponse } from './message.ts';

export const serviceErrors = {
  InvalidTarget: { status: 400, when: 'the request target is not a path, or the Host header is not a host' },
  InvalidPath: { status: 400, when: 'the scope or alert name in the path is empty, too long or not decodable' },
  InvalidQuery: { status: 400, when: 'a query parameter that must stand once is repeated' },
  MissingApiVersion: { status: 400, when: 'api-version is absent or empty' },
  UnsupportedApiVersion: { status: 400, when: 'api-version is not the one that is served' },
  InvalidSkipToken: { status: 400, when: 'skipToken did not come from a nextLink of this scope' },
  MalformedJson: { status: 400, when: 'the body of an update is not JSON in UTF-8' },
  InvalidBody: {
    status: 400,
    when: 'the body of an update has other members than properties.isActive, or the flag is not true or false',
  },
  MalformedRequest: { status: 400, when: 'what was sent is not HTTP' },
  AuthenticationRequired: { status: 401, when: 'no bearer token was sent' },
  InvalidToken: { status: 401, when: 'the bearer token is not good, or has expired' },
  InsufficientScope: { status: 403, when: 'the token is good, but not for this operation' },
  RouteNotFound: { status: 404, when: 'no operation has this path' },
  ScopeNotFound: { status: 404, when: 'the service does not know the scope' },
  AlertNotFound: { status: 404, when: 'the scope has no alert of this name' },
  MethodNotAllowed: { status: 405, when: 'the path exists, the method does not; Allow lists those that do' },
  RequestTimeout: { status: 408, when: 'the request did not arrive in time' },
  BodyTooLarge: { status: 413, when: 'the body is above 16 KiB' },
  UnsupportedMediaType: { status: 415, when: 'the body is not application/json, or is compressed' },
  TooManyRequests: { status: 429, when: 'the caller sends more than it may; Retry-After says when to come back' },
  HeadersTooLarge: { status: 431, when: 'the headers are above 16 KiB' },
  InternalError: { status: 500, when: 'the service failed, nothing was acknowledged' },
  ServerBusy: { status: 503, when: 'too many requests are in flight; Retry-After says when to come back' },
} as const satisfies Record<string, { status: number; when: string }>;

export type ServiceErrorCode = keyof typeof serviceErrors;

/** An answer with the error body of section 2.8. `message` is shown to people and never holds what the caller sent. */
export function errorResponse(
  code: ServiceErrorCode,
  message: string,
  headers: Record<string, string> = {},
): ServiceResponse {
  return { ...jsonResponse(serviceErrors[code].status, errorBody(code, message), headers), errorCode: code };
}

/** Section 2.8, as text. */
export function errorBody(code: ServiceErrorCode, message: string): string {
  return JSON.stringify({ error: { code, message } });
}
