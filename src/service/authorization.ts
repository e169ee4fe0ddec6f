// Who is calling: the bearer token of a request against the static token and the tokens this service handed out.
// Every caller may do everything; there are no roles. The header's form is RFC 6750, because section 5 shows none.
import type { Clock } from '../lib/clock.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { headerOf, type PrincipalClass, type ServiceRequest, type ServiceResponse } from './exchange.ts';
import { hashSecret, isSameHash } from './secret-hash.ts';
import { errorResponse } from './service-errors.ts';
import type { TokenStore } from './token-store.ts';

/** May get tokens with the client-credentials grant. */
export interface ServiceClient {
  readonly id: string;
  readonly secret: SecretText;
}

export interface Principal {
  readonly class: Exclude<PrincipalClass, 'none'>;
  /** What stands in `systemData.lastModifiedBy`: the client's id, or `static-token`. */
  readonly name: string;
}

export interface AuthorizationParts {
  readonly staticToken: SecretText | undefined;
  /** A token of a client that is no longer among them is refused. */
  readonly clients: readonly ServiceClient[];
  readonly tokens: TokenStore;
  readonly clock: Clock;
}

/** The caller, or the 401 that it gets. */
export type Authorize = (request: ServiceRequest) => { principal: Principal } | { refusal: ServiceResponse };

export function createAuthorization(parts: AuthorizationParts): Authorize {
  const clientIDs = new Set(parts.clients.map((client) => client.id));
  const staticHash = parts.staticToken && hashSecret(parts.staticToken.reveal());
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return { refusal: missing() };
    const hash = hashSecret(token);
    if (staticHash && isSameHash(staticHash, hash)) {
      return { principal: { class: 'static-token', name: 'static-token' } };
    }
    const clientID = parts.tokens.readClient(hash, parts.clock.now());
    if (clientID === undefined || !clientIDs.has(clientID)) return { refusal: invalid() };
    return { principal: { class: 'client', name: clientID } };
  };
}

function bearerToken(request: ServiceRequest): string | undefined {
  return /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
}

const challenge = 'Bearer realm="rolealerts"';

function missing(): ServiceResponse {
  return errorResponse('AuthenticationRequired', 'Send an access token as "Authorization: Bearer TOKEN".', {
    'www-authenticate': challenge,
  });
}

function invalid(): ServiceResponse {
  return errorResponse('InvalidToken', 'The access token is unknown or has expired.', {
    'www-authenticate': `${challenge}, error="invalid_token"`,
  });
}
