// The caller of a verified token: its grant, limited to what the registrations allow now.
import type { PrincipalClass } from '../http/message.ts';
import type { TokenGrant } from './keys/access-tokens.ts';
import { scopesOf, type Registrations, type ServiceClient, type ServiceUser } from './registrations.ts';
import type { ResourceScopes } from './resource-scopes.ts';
import type { OAuthScope } from './scopes.ts';

export interface Principal {
  readonly class: Exclude<PrincipalClass, 'none'>;
  /** The value of `systemData.lastModifiedBy`: the user's name, the client's id, or `static-token`. */
  readonly name: string;
  /** The client that acts for a user; absent for other callers. */
  readonly clientID?: string;
  readonly scopes: ReadonlySet<OAuthScope>;
  /** The resource scopes of its client, and of its user; it may access what all of them allow. Absent: all. */
  readonly resourceScopes?: readonly ResourceScopes[];
}

/** Undefined when the client or the user is no longer registered. Applies the current permissions, not those at issue. */
export type PrincipalOf = (grant: TokenGrant) => Principal | undefined;

/** What a principal was made of. Registrations that are read again are other objects, even if they are equal. */
interface Made {
  readonly client: ServiceClient;
  readonly user: ServiceUser | undefined;
  readonly principal: Principal;
}

/** Makes a principal once for a grant, and again when its client or its user is registered anew. */
export function createPrincipals(registrations: Registrations): PrincipalOf {
  const made = new WeakMap<TokenGrant, Made>();
  return (grant) => {
    const client = registrations.client(grant.clientID);
    const user = grant.subjectType === 'user' ? registrations.user(grant.subject) : undefined;
    if (!client || (grant.subjectType === 'user' && !user)) return undefined;
    const known = made.get(grant);
    if (known?.client === client && known.user === user) return known.principal;
    const principal = makePrincipal(grant, client, user);
    made.set(grant, { client, user, principal });
    return principal;
  };
}

function makePrincipal(grant: TokenGrant, client: ServiceClient, user: ServiceUser | undefined): Principal {
  const registered = user ? [client, user] : [client];
  const scopes = grant.scopes.filter((scope) => registered.every((each) => scopesOf(each).includes(scope)));
  const limits = registered.flatMap(({ resourceScopes }) => (resourceScopes ? [resourceScopes] : []));
  const principal = {
    class: grant.subjectType,
    name: grant.subject,
    ...(user && { clientID: client.id }),
    scopes: new Set(scopes),
  };
  return limits.length === 0 ? principal : { ...principal, resourceScopes: limits };
}
