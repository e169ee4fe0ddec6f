// Determines the caller and its scopes: compares the bearer token of a request with the static token and the tokens that this
// service issued. The header has the form of RFC 6750, because section 5 defines none.
import type { Logger } from '../../lib/log.ts';
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { headerOf, type PrincipalClass, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { invalidToken, missingToken } from './challenges.ts';
import type { AccessTokens, TokenGrant } from './keys/access-tokens.ts';
import { scopesOf, type Registrations } from './registrations.ts';
import { oauthScopes, type OAuthScope } from './scopes.ts';
import { hashSecret, isSameHash } from './secret-hash.ts';

export interface Principal {
  readonly class: Exclude<PrincipalClass, 'none'>;
  /** The value of `systemData.lastModifiedBy`: the user's name, the client's id, or `static-token`. */
  readonly name: string;
  readonly scopes: ReadonlySet<OAuthScope>;
}

export interface AuthorizationDeps {
  readonly staticToken: SecretText | undefined;
  readonly tokens: Pick<AccessTokens, 'check'>;
  /** A token of an unregistered user or client is refused. */
  readonly registrations: Registrations;
  readonly log: Logger;
}

export type Caller = { readonly principal: Principal } | { readonly refusal: ServiceResponse };

/** Resolves with the caller, or with its 401. Synchronous for a known token. */
export type Authorize = (request: ServiceRequest) => MaybePromise<Caller>;

export function createAuthorization({ staticToken, tokens, registrations, log }: AuthorizationDeps): Authorize {
  const staticHash = staticToken && hashSecret(staticToken.reveal());
  const holder: Principal = { class: 'static-token', name: 'static-token', scopes: new Set(oauthScopes) };
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return { refusal: missingToken() };
    const hash = hashSecret(token);
    if (staticHash && isSameHash(staticHash, hash)) return { principal: holder };
    return thenOrNow(tokens.check(token, hash), (grant) => {
      const principal = grant && principalOf(grant, registrations);
      if (grant && !principal) log.debug({ reason: 'client or user not registered' }, 'token refused');
      return principal ? { principal } : { refusal: invalidToken() };
    });
  };
}

/** Undefined when the client or the user is no longer registered. Applies the current permissions, not those at issue. */
function principalOf(grant: TokenGrant, registrations: Registrations): Principal | undefined {
  const client = registrations.client(grant.clientID);
  const user = registrations.user(grant.subject);
  if (!client || (grant.subjectType === 'user' && !user)) return undefined;
  const allowed = new Set(user && grant.subjectType === 'user' ? scopesOf(user) : scopesOf(client));
  const scopes = grant.scopes.filter((scope) => allowed.has(scope) && scopesOf(client).includes(scope));
  return { class: grant.subjectType, name: grant.subject, scopes: new Set(scopes) };
}

function bearerToken(request: ServiceRequest): string | undefined {
  return /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
}
