// What a caller without the right token is told, in the body of section 2.8 and in the header of RFC 6750 section 3.
import type { ServiceResponse } from '../http/message.ts';
import { errorResponse } from '../http/service-errors.ts';

const challenge = 'Bearer realm="rolealerts"';

export function missingToken(): ServiceResponse {
  return errorResponse('AuthenticationRequired', 'Send an access token as "Authorization: Bearer TOKEN".', {
    'www-authenticate': challenge,
  });
}

/** Why it is invalid is not said: who made it up must not learn what would have been right. */
export function invalidToken(): ServiceResponse {
  return errorResponse('InvalidToken', 'The access token is unknown or has expired.', {
    'www-authenticate': `${challenge}, error="invalid_token"`,
  });
}

/** `scopes`: any of them would do. */
export function insufficientScope(scopes: readonly string[]): ServiceResponse {
  return errorResponse('InsufficientScope', `The access token needs the scope ${scopes.join(' or ')}.`, {
    'www-authenticate': `${challenge}, error="insufficient_scope", scope="${scopes[0]}"`,
  });
}
