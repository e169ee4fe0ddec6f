// Section 5 as a whole: puts the parts of this folder together, and says which page answers what.
import type { DatabaseSync } from 'node:sqlite';

import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { SecretSource } from '../../lib/secret-source.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import type { PageName } from '../exchange.ts';
import type { ServiceObserver } from '../observer.ts';
import type { RateLimit } from '../rate-limit.ts';
import { pagePaths } from '../resource-path.ts';
import type { Page } from '../routes.ts';
import { createAccessTokens, type AccessTokens } from './access-tokens.ts';
import { createAssertions } from './assertions.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import { createAuthorization, type Authorize } from './authorization.ts';
import { createAuthorizeEndpoint } from './authorize-endpoint.ts';
import { clientBounds } from './client-login.ts';
import { keysResponse, metadataResponse } from './metadata.ts';
import { createRegistrations, type ServiceClient, type ServiceUser } from './registrations.ts';
import { createSignIn } from './sign-in.ts';
import { openSigningKeys } from './signing-keys.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

export interface OAuthParts {
  readonly database: DatabaseSync;
  readonly clients: readonly ServiceClient[];
  readonly users: readonly ServiceUser[];
  readonly staticToken: SecretText | undefined;
  readonly tokenLifetimeMs: number;
  /** The base address; known once the service listens. */
  readonly publicURL: () => string;
  /** The same as for the operations. */
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
  readonly log: Logger;
  readonly observer: Pick<ServiceObserver, 'tokenIssued'>;
}

export interface OAuth {
  readonly authorize: Authorize;
  readonly pages: Readonly<Record<Exclude<PageName, 'openapi'>, Page>>;
}

export async function openOAuth(parts: OAuthParts): Promise<OAuth> {
  const { database, publicURL, clock, newSecret, rateLimit, log, staticToken, tokenLifetimeMs: lifetimeMs } = parts;
  const registrations = createRegistrations(parts.clients, parts.users);
  const keys = await openSigningKeys(database, clock);
  // So that whoever checks tokens finds the key before the first one is there.
  await keys.current();
  const tokens = countIssued(
    createAccessTokens({ keys, publicURL, lifetimeMs, clock, newSecret, log }),
    parts.observer,
  );
  const audiences = () => [publicURL(), `${publicURL()}${pagePaths.token}`];
  const assertions = createAssertions({ database, registrations, audiences, clock });
  const attempts = createAttemptLimit(clientBounds, clock);
  const signIn = createSignIn(registrations, clock);
  return {
    authorize: createAuthorization({ staticToken, tokens, registrations, log }),
    pages: {
      authorize: createAuthorizeEndpoint({ registrations, tokens, signIn, publicURL }),
      token: createTokenEndpoint({ registrations, assertions, attempts, tokens, rateLimit, publicURL }),
      keys: () => keysResponse(keys),
      metadata: () => metadataResponse(publicURL()),
    },
  };
}

function countIssued(tokens: AccessTokens, observer: OAuthParts['observer']): AccessTokens {
  return {
    ...tokens,
    async issue(grant) {
      const token = await tokens.issue(grant);
      observer.tokenIssued(grant.subjectType);
      return token;
    },
  };
}
