// Determines the caller and its scopes: compares the bearer token of a request with the static token and the tokens that this
// service issued. The header has the form of RFC 6750, because section 5 defines none.
import type { Logger } from '../../lib/log.ts';
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import { createRecentKeys } from '../../lib/recent-keys.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { headerOf, type PrincipalClass, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import type { AttemptBounds, AttemptLimit, LoginAttempt } from './attempt-limit.ts';
import { invalidToken, missingToken, tooManyWrongTokens } from './challenges.ts';
import type { AccessTokens, TokenGrant } from './keys/access-tokens.ts';
import { scopesOf, type Registrations } from './registrations.ts';
import type { ResourceScopes } from './resource-scopes.ts';
import { oauthScopes, type OAuthScope } from './scopes.ts';
import { hashSecret, isSameHash } from './secret-hash.ts';

export interface Principal {
  readonly class: Exclude<PrincipalClass, 'none'>;
  /** The value of `systemData.lastModifiedBy`: the user's name, the client's id, or `static-token`. */
  readonly name: string;
  readonly scopes: ReadonlySet<OAuthScope>;
  /** The resource scopes of its client, and of its user; it may access what all of them allow. Absent: all. */
  readonly resourceScopes?: readonly ResourceScopes[];
}

export interface AuthorizationDeps {
  readonly staticToken: SecretText | undefined;
  readonly tokens: Pick<AccessTokens, 'recall' | 'check'>;
  /** A token of an unregistered user or client is refused. */
  readonly registrations: Registrations;
  /** Counts tokens that this service did not issue. */
  readonly attempts: AttemptLimit;
  readonly log: Logger;
}

export type Caller = { readonly principal: Principal } | { readonly refusal: ServiceResponse };

/** Resolves with the caller, or with its 401. Synchronous for a known token. */
export type Authorize = (request: ServiceRequest) => MaybePromise<Caller>;

/** A token belongs to no name, so failures count by address only. */
export const tokenBounds: AttemptBounds = { wrongFromAddress: 300 };

/** Maximum number of addresses that are remembered because they sent the static token. */
const rememberedHolders = 1000;

/**
 * An address that sent too many foreign tokens has to wait, but not with a token that was right before: one that was verified, or the
 * static token from an address that had it before. So callers who share an address with an attacker can go on.
 */
export function createAuthorization(deps: AuthorizationDeps): Authorize {
  const { staticToken, tokens, attempts } = deps;
  const staticHash = staticToken && hashSecret(staticToken.reveal());
  const holder: Caller = { principal: staticPrincipal };
  const holderAddresses = createRecentKeys(rememberedHolders);
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return { refusal: missingToken() };
    const { clientAddress: address } = request;
    const hash = hashSecret(token);
    const isStatic = staticHash !== undefined && isSameHash(staticHash, hash);
    if (isStatic && holderAddresses.has(address ?? '')) return holder;
    const known = isStatic ? undefined : tokens.recall(hash);
    if (known) return callerOf(known, deps, request);
    const attempt = { name: '', address };
    const { requestID } = request;
    return thenOrNow(attempts.isClosed(attempt), (isClosed) => {
      if (isClosed) return { refusal: tooManyWrongTokens() };
      if (!isStatic)
        return thenOrNow(tokens.check(token, hash, requestID), (checked) =>
          checked === 'foreign' ? refuseForeign(attempts, attempt) : callerOf(checked, deps, request),
        );
      holderAddresses.add(address ?? '');
      return holder;
    });
  };
}

const staticPrincipal: Principal = { class: 'static-token', name: 'static-token', scopes: new Set(oauthScopes) };

function refuseForeign(attempts: AttemptLimit, attempt: LoginAttempt): MaybePromise<Caller> {
  return thenOrNow(attempts.noteFailure(attempt), () => ({ refusal: invalidToken() }));
}

function callerOf(
  grant: TokenGrant | 'stale',
  { registrations, log }: AuthorizationDeps,
  { requestID }: ServiceRequest,
): Caller {
  if (grant === 'stale') return { refusal: invalidToken() };
  const principal = principalOf(grant, registrations);
  if (principal) return { principal };
  log.debug({ requestID, reason: 'client or user not registered' }, 'token refused');
  return { refusal: invalidToken() };
}

/** Undefined when the client or the user is no longer registered. Applies the current permissions, not those at issue. */
function principalOf(grant: TokenGrant, registrations: Registrations): Principal | undefined {
  const client = registrations.client(grant.clientID);
  const user = registrations.user(grant.subject);
  if (!client || (grant.subjectType === 'user' && !user)) return undefined;
  const allowed = new Set(user && grant.subjectType === 'user' ? scopesOf(user) : scopesOf(client));
  const scopes = grant.scopes.filter((scope) => allowed.has(scope) && scopesOf(client).includes(scope));
  const limits = [client, user && grant.subjectType === 'user' ? user : client].flatMap(({ resourceScopes }) =>
    resourceScopes ? [resourceScopes] : [],
  );
  const principal = { class: grant.subjectType, name: grant.subject, scopes: new Set(scopes) };
  return limits.length === 0 ? principal : { ...principal, resourceScopes: limits };
}

function bearerToken(request: ServiceRequest): string | undefined {
  return /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
}
