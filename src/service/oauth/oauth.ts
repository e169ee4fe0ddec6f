// Section 5 as a whole: connects the parts of this folder to endpoints.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { SecretSource, SecretText } from '../../lib/secret-text.ts';
import type { Sql } from '../database/sql.ts';
import { createCrossOrigin, type CrossOrigin } from '../http/cors.ts';
import type { EndpointName } from '../http/message.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { endpointPaths } from '../http/resource-path.ts';
import type { Page } from '../http/routes.ts';
import type { ServiceObserver } from '../observer.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import { createAuthorizationCodes } from './authorization-codes.ts';
import { createAuthorization, tokenBounds, type Authorize } from './authorization.ts';
import { createAuthorizeEndpoint } from './authorize/authorize-endpoint.ts';
import { comparisonBounds, createSignIn, signInBounds } from './authorize/sign-in.ts';
import { createComparisons } from './comparisons.ts';
import { createAccessTokens, type AccessTokens } from './keys/access-tokens.ts';
import { keysResponse, metadataResponse } from './keys/metadata.ts';
import { openSigningKeys } from './keys/signing-keys.ts';
import { createRegistrations, type Registered, type ServiceClient } from './registrations.ts';
import { alikeKeys } from './token/assertion-keys.ts';
import { createAssertions } from './token/assertions.ts';
import { assertionBounds, clientBounds } from './token/client-login.ts';
import { createIssuerKeys } from './token/issuer-keys.ts';
import { createKeySourceReader } from './token/key-source.ts';
import { createSecretCheck } from './token/secret-check.ts';
import { createTokenEndpoint } from './token/token-endpoint.ts';
import { unusableKeys } from './token/usable-keys.ts';

export interface OAuthDeps extends Registered {
  readonly sql: Sql;
  readonly staticToken: SecretText | undefined;
  readonly tokenLifetimeMs: number;
  /** The base URL; known once the service listens. */
  readonly publicURL: () => string;
  /** Shared with the operations. */
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
  readonly log: Logger;
  readonly observer: Pick<ServiceObserver, 'tokenIssued'>;
}

export interface OAuth {
  readonly authorize: Authorize;
  /** Replaces all clients and users. */
  readonly replaceRegistrations: (registered: Registered) => void;
  /** Forgets all failed logins. */
  readonly resetLimits: () => void;
  readonly crossOrigin: CrossOrigin;
  readonly endpoints: Readonly<Record<Exclude<EndpointName, 'openapi'>, Page>>;
}

export async function openOAuth(deps: OAuthDeps): Promise<OAuth> {
  const { sql, publicURL, clock, newSecret, rateLimit, log, staticToken, tokenLifetimeMs: lifetimeMs } = deps;
  const registrations = createRegistrations(deps);
  warnOfKeys(deps.clients, log);
  const keys = await openSigningKeys(sql, clock);
  // Publish the key before the first token is issued.
  await keys.current();
  const tokenDeps = { keys, publicURL, lifetimeMs, clock, newSecret, log };
  const tokens = countIssued(createAccessTokens(tokenDeps), deps.observer);
  const codes = createAuthorizationCodes({ sql, clock, newSecret });
  const audiences = () => [publicURL(), `${publicURL()}${endpointPaths.token}`];
  const issuerKeys = createIssuerKeys({ read: createKeySourceReader(clock), clock, log });
  const assertions = createAssertions({ sql, registrations, issuerKeys, audiences, clock, log });
  const limits = {
    passwords: createAttemptLimit(signInBounds, clock),
    secrets: createAttemptLimit(clientBounds, clock),
    assertions: createAttemptLimit(assertionBounds, clock),
    tokens: createAttemptLimit(tokenBounds, clock),
  };
  const comparisons = createComparisons(comparisonBounds);
  const signIn = createSignIn({ registrations, attempts: limits.passwords, comparisons });
  const logins = {
    registrations,
    assertions,
    secrets: createSecretCheck(comparisons),
    attempts: limits.secrets,
    assertionAttempts: limits.assertions,
  };
  const authorize = createAuthorization({ staticToken, tokens, registrations, attempts: limits.tokens, log });
  return {
    replaceRegistrations(registered) {
      // In place, because everything above holds the same object. A token of a removed client or user is invalid at once.
      Object.assign(registrations, createRegistrations(registered));
      warnOfKeys(registered.clients, log);
    },
    crossOrigin: createCrossOrigin({
      allowsOrigin: (origin) => registrations.hasOrigin(origin),
      hasOrigins: () => registrations.hasOrigins,
    }),
    authorize,
    resetLimits() {
      for (const limit of Object.values(limits)) limit.reset();
    },
    endpoints: {
      authorize: createAuthorizeEndpoint({ registrations, tokens, signIn, codes, publicURL }),
      token: createTokenEndpoint({ ...logins, codes, tokens, rateLimit, publicURL }),
      keys: () => keysResponse(keys),
      metadata: () => metadataResponse(publicURL()),
    },
  };
}

function warnOfKeys(clients: readonly ServiceClient[], log: Logger): void {
  for (const client of clients) {
    const { id } = client;
    const [alike, unusable] = [alikeKeys(client), unusableKeys(client)];
    if (alike.length > 0) log.warn({ client: id, keys: alike }, 'keys have no kid of their own: each is tried');
    if (unusable.length > 0) log.warn({ client: id, keys: unusable }, 'keys fit no accepted algorithm');
  }
}

function countIssued(tokens: AccessTokens, observer: OAuthDeps['observer']): AccessTokens {
  return {
    ...tokens,
    async issue(grant) {
      const token = await tokens.issue(grant);
      observer.tokenIssued(grant.subjectType);
      return token;
    },
  };
}
