// The responses to a caller without a valid token: the body of section 2.8 and the header of RFC 6750 section 3.
import type { ServiceResponse } from '../http/message.ts';
import { errorResponse } from '../http/service-errors.ts';
import { attemptWindowMs } from './attempt-limit.ts';

const challenge = 'Bearer realm="rolealerts"';

export function missingToken(): ServiceResponse {
  return errorResponse('AuthenticationRequired', 'Send an access token as "Authorization: Bearer TOKEN".', {
    'www-authenticate': challenge,
  });
}

/** Does not reveal why the token is invalid. */
export function invalidToken(): ServiceResponse {
  return errorResponse('InvalidToken', 'The access token is unknown or has expired.', {
    'www-authenticate': `${challenge}, error="invalid_token"`,
  });
}

/** Too many foreign tokens came from the address of the request, and this one is not known to be right. */
export function tooManyWrongTokens(): ServiceResponse {
  return errorResponse('TooManyWrongTokens', 'Too many wrong access tokens came from this address. Wait a minute.', {
    'retry-after': String(attemptWindowMs / 1000),
  });
}

/** Any of `scopes` would be sufficient. */
export function insufficientScope(scopes: readonly string[]): ServiceResponse {
  return errorResponse('InsufficientScope', `The access token needs the scope ${scopes.join(' or ')}.`, {
    'www-authenticate': `${challenge}, error="insufficient_scope", scope="${scopes[0]}"`,
  });
}

/** The caller may not access the resource scope, whether or not it exists. Another OAuth scope would not help. */
export function scopeForbidden(): ServiceResponse {
  return errorResponse('ScopeForbidden', 'The caller may not access this scope.', { 'www-authenticate': challenge });
}
