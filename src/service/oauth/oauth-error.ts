// What the token endpoint answers when it gives no token (RFC 6749 section 5.2, RFC 8707 section 2).
import { headerOf, jsonResponse, type ServiceRequest, type ServiceResponse } from '../exchange.ts';

export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target';

/** What is wrong with a token request. */
export interface Refusal {
  readonly error: OAuthError;
  readonly description: string;
}

export function refuse(refusal: Refusal, request: ServiceRequest): ServiceResponse {
  const isUnknownClient = refusal.error === 'invalid_client';
  const usedHeader = headerOf(request, 'authorization') !== undefined;
  const challenge = isUnknownClient && usedHeader ? { 'www-authenticate': 'Basic realm="rolealerts"' } : {};
  const body = JSON.stringify({ error: refusal.error, error_description: refusal.description });
  const response = jsonResponse(isUnknownClient ? 401 : 400, body, { pragma: 'no-cache', ...challenge });
  return { ...response, errorCode: refusal.error };
}
