// Every error of the service: its code (`error.code` of section 2.8), its status, and the error body.
// Section 7 leaves codes, statuses and conditions undefined; this table and openapi.yaml define them, and the page deploy/reference/alerts-service.md repeats them.
import { jsonResponse, type ServiceResponse } from './message.ts';

export const serviceErrors = {
  InvalidTarget: 400,
  InvalidPath: 400,
  InvalidQuery: 400,
  MissingApiVersion: 400,
  UnsupportedApiVersion: 400,
  InvalidSkipToken: 400,
  MalformedJson: 400,
  InvalidBody: 400,
  MalformedRequest: 400,
  AuthenticationRequired: 401,
  InvalidToken: 401,
  InsufficientScope: 403,
  ScopeForbidden: 403,
  RouteNotFound: 404,
  ScopeNotFound: 404,
  AlertNotFound: 404,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  BodyTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  TooManyWrongTokens: 429,
  HeadersTooLarge: 431,
  InternalError: 500,
  StorageDamaged: 500,
  UnknownTransferCoding: 501,
  DatabaseUnavailable: 503,
  StorageFull: 507,
} as const satisfies Record<string, number>;

export type ServiceErrorCode = keyof typeof serviceErrors;

/** A response with the error body of section 2.8. `message` is for people and repeats nothing of the request. */
export function errorResponse(
  code: ServiceErrorCode,
  message: string,
  headers: Record<string, string> = {},
): ServiceResponse {
  return { ...jsonResponse(serviceErrors[code], errorBody(code, message), headers), errorCode: code };
}

/** Seconds after which a client may send a request again that the service could not answer now. */
const retryAfterSeconds = '1';

/** A 503. The client may send the request again. */
export function unavailable(message: string): ServiceResponse {
  return errorResponse('DatabaseUnavailable', message, { 'retry-after': retryAfterSeconds });
}

/** The JSON text of section 2.8. */
export function errorBody(code: ServiceErrorCode, message: string): string {
  return JSON.stringify({ error: { code, message } });
}
