// Every error of the admin port, with its status. The body is that of section 2.8, with `problems` for an invalid script.
import { jsonResponse, type ServiceResponse } from '../http/message.ts';

const statuses = {
  MalformedDocument: 400,
  AuthenticationRequired: 401,
  ForeignRequest: 403,
  NotAnEmulator: 403,
  InvalidQuery: 400,
  RouteNotFound: 404,
  NoAudit: 404,
  NoScanner: 404,
  MethodNotAllowed: 405,
  ScanFailed: 409,
  BodyTooLarge: 413,
  UnsupportedMediaType: 415,
  InvalidScript: 422,
  InvalidSeed: 422,
  InvalidClock: 422,
  TooManyWrongTokens: 429,
  InternalError: 500,
} as const;

export interface AdminErrorFacts {
  readonly headers?: Record<string, string>;
  /** Each starts with its path in the document. */
  readonly problems?: readonly string[];
}

export function adminError(
  code: keyof typeof statuses,
  message: string,
  { headers = {}, problems }: AdminErrorFacts = {},
): ServiceResponse {
  const error = { code, message, ...(problems && { problems }) };
  return { ...jsonResponse(statuses[code], JSON.stringify({ error }), headers), errorCode: code };
}
