// Determines the caller and its scopes: compares the bearer token of a request with the static token and the tokens that this
// service issued. The header has the form of RFC 6750, because section 5 defines none.
import { clientNetwork } from '../../lib/ip-address.ts';
import type { Logger } from '../../lib/log.ts';
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import type { ServiceRequest, ServiceResponse } from '../http/message.ts';
import { createRecentKeys } from '../recent-keys.ts';
import type { AttemptBounds, AttemptLimit } from './attempt-limit.ts';
import { createBearerTokens } from './bearer-token.ts';
import { invalidToken, missingToken, tooManyWrongTokens } from './challenges.ts';
import type { AccessTokens, TokenGrant } from './keys/access-tokens.ts';
import { createPrincipals, type Principal, type PrincipalOf } from './principals.ts';
import type { Registrations } from './registrations.ts';
import { oauthScopes } from './scopes.ts';
import { isSameKey, tokenKey } from './secret-hash.ts';

export interface AuthorizationDeps {
  readonly staticToken: SecretText | undefined;
  readonly tokens: Pick<AccessTokens, 'recall' | 'namesKey' | 'check'>;
  /** A token of an unregistered user or client is refused. */
  readonly registrations: Registrations;
  /** Counts tokens that this service did not issue. */
  readonly attempts: AttemptLimit;
  readonly log: Logger;
}

export type Caller = { readonly principal: Principal } | { readonly refusal: ServiceResponse };

/** Resolves with the caller, or with its 401. Synchronous for a known token. */
export type Authorize = (request: ServiceRequest) => MaybePromise<Caller>;

/** A token belongs to no name, so failures count by network only. */
export const tokenBounds: AttemptBounds = { ofNetwork: 300 };

/** Maximum number of networks that are remembered because they sent the static token. */
const rememberedHolders = 1000;

/**
 * A network that sent too many foreign tokens has to wait, but not with a token that this service issued, nor with the static token if it
 * had that before. So callers who share an address with an attacker can go on, also with the next token.
 */
export function createAuthorization(deps: AuthorizationDeps): Authorize {
  const { staticToken, tokens, attempts } = deps;
  const staticKey = staticToken && tokenKey(staticToken.reveal());
  const principalOf = createPrincipals(deps.registrations);
  const holder: Caller = { principal: staticPrincipal };
  const holders = createRecentKeys(rememberedHolders);
  const tokenOf = createBearerTokens();

  return (request) => {
    const token = tokenOf(request);
    if (!token) return { refusal: missingToken() };
    const { clientAddress: address = '', requestID } = request;
    const { key } = token;
    const attempt = { name: '', address };
    if (staticKey !== undefined && isSameKey(staticKey, key)) {
      const network = clientNetwork(address);
      if (holders.has(network)) return holder;
      if (attempts.isClosed(attempt)) return { refusal: tooManyWrongTokens() };
      holders.add(network);
      return holder;
    }
    const known = tokens.recall(key);
    if (known) return callerOf(known, principalOf, deps, request);
    if (attempts.isClosed(attempt) && !tokens.namesKey(token.text)) return { refusal: tooManyWrongTokens() };
    return thenOrNow(tokens.check(token.text, key, requestID), (checked) => {
      if (checked !== 'foreign') return callerOf(checked, principalOf, deps, request);
      return { refusal: attempts.noteFailure(attempt) ? invalidToken() : tooManyWrongTokens() };
    });
  };
}

const staticPrincipal: Principal = { class: 'static-token', name: 'static-token', scopes: new Set(oauthScopes) };

function callerOf(
  grant: TokenGrant | 'stale',
  principalOf: PrincipalOf,
  { log }: AuthorizationDeps,
  { requestID }: ServiceRequest,
): Caller {
  if (grant === 'stale') return { refusal: invalidToken() };
  const principal = principalOf(grant);
  if (principal) return { principal };
  log.debug({ requestID, reason: 'client or user not registered' }, 'token refused');
  return { refusal: invalidToken() };
}
