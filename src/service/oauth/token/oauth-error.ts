// The errors of the token endpoint (RFC 6749 section 5.2, RFC 8707 section 2).
import { headerOf, jsonResponse, type ServiceRequest, type ServiceResponse } from '../../http/message.ts';
import type { RateLimit } from '../../http/rate-limit.ts';

export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  /** An error of the authorization endpoint in RFC 6749, used here with 429. */
  | 'temporarily_unavailable';

/** The problem of a token request. */
export interface Refusal {
  readonly error: OAuthError;
  readonly description: string;
  /** Set with `temporarily_unavailable`. */
  readonly retryAfterSeconds?: number;
}

export function refuse(refusal: Refusal, request: ServiceRequest): ServiceResponse {
  const isUnknownClient = refusal.error === 'invalid_client';
  const usedHeader = headerOf(request, 'authorization') !== undefined;
  const challenge = isUnknownClient && usedHeader ? { 'www-authenticate': 'Basic realm="rolealerts"' } : {};
  const body = JSON.stringify({ error: refusal.error, error_description: refusal.description });
  const { retryAfterSeconds } = refusal;
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const response = jsonResponse(statusOf(refusal), body, { pragma: 'no-cache', ...challenge, ...retry });
  return { ...response, errorCode: refusal.error };
}

/** Counts a request of the caller; the problem when there are too many. It counts like any other request of the caller. */
export function rateProblem(rateLimit: RateLimit, caller: string): Refusal | undefined {
  const waitMs = rateLimit(caller);
  if (waitMs === 0) return undefined;
  const description = 'Rate limit exceeded.';
  return { error: 'temporarily_unavailable', description, retryAfterSeconds: Math.ceil(waitMs / 1000) };
}

function statusOf({ error }: Refusal): number {
  if (error === 'invalid_client') return 401;
  return error === 'temporarily_unavailable' ? 429 : 400;
}
