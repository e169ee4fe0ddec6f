// The registered clients (programs) and users (people) of the configuration. The data file does not contain them: when one is
// removed from the configuration, its tokens become invalid.
import type { JWK } from 'jose';

import type { SecretText } from '../../lib/secret-text.ts';
import type { FederatedTrust } from './federated-trust.ts';
import { plainCost, type HashedSecret, type ScryptCost } from './hashed-secret.ts';
import { originsOf } from './origins.ts';
import type { ResourceScopes } from './resource-scopes.ts';
import { oauthScopes, type OAuthScope } from './scopes.ts';

/** A program. With a secret or keys it gets tokens for itself; with redirect URIs it gets them for users. */
export interface ServiceClient {
  readonly id: string;
  readonly secret?: SecretText;
  /** In place of `secret`. */
  readonly secretHash?: HashedSecret;
  /** Public keys that verify the client's assertions (RFC 7523). */
  readonly keys?: readonly JWK[];
  /** The subjects of other issuers whose tokens are the client's assertions. */
  readonly federated?: readonly FederatedTrust[];
  /** The URIs to which the implicit flow may send a token; see `redirect-uri.ts`. */
  readonly redirectURIs?: readonly string[];
  /** The origins of its web pages (CORS). Default: those of its https redirect URIs; see `origins.ts`. */
  readonly origins?: readonly string[];
  /** The scopes that its tokens may have. Default: all. */
  readonly scopes?: readonly OAuthScope[];
  /** Default: all. */
  readonly resourceScopes?: ResourceScopes;
}

/** A person who signs in, with a password or the hash of one. */
export interface ServiceUser {
  readonly name: string;
  readonly password?: SecretText;
  readonly passwordHash?: HashedSecret;
  /** The scopes that tokens of this user may have. Default: all. */
  readonly scopes?: readonly OAuthScope[];
  /** Default: all. */
  readonly resourceScopes?: ResourceScopes;
}

export interface Registered {
  readonly clients: readonly ServiceClient[];
  readonly users: readonly ServiceUser[];
}

/** A client, and the trust by which a token identifies it. */
export interface TrustingClient {
  readonly client: ServiceClient;
  readonly trust: FederatedTrust;
}

export interface Registrations {
  client(id: string): ServiceClient | undefined;
  /** The client that trusts this subject of this issuer; at most one does. */
  trusting(issuer: string, subject: string): TrustingClient | undefined;
  user(name: string): ServiceUser | undefined;
  readonly hasUsers: boolean;
  /** The cost of checking any password: that of the hashes, which all have the same. */
  readonly passwordCost: ScryptCost;
  /** True when a client has registered this origin of web pages. */
  hasOrigin(origin: string): boolean;
  readonly hasOrigins: boolean;
}

/** The client of `rolealerts login`. It has no secret, because every copy of the program would contain it. */
const loginClient: ServiceClient = {
  id: 'rolealerts-cli',
  redirectURIs: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
};

/** Adds the client of `rolealerts login` if there are users, unless `clients` has one with its id. */
export function createRegistrations({ clients, users }: Registered): Registrations {
  const all = users.length > 0 ? [loginClient, ...clients] : clients;
  const clientsByID = new Map(all.map((client) => [client.id, client]));
  const trusting = new Map(all.flatMap(trustsOf));
  const origins = new Set(all.flatMap(originsOf));
  const usersByName = new Map(users.map((user) => [user.name, user]));
  return {
    client: (id) => clientsByID.get(id),
    trusting: (issuer, subject) => trusting.get(identityOf({ issuer, subject })),
    user: (name) => usersByName.get(name),
    hasUsers: users.length > 0,
    passwordCost: users.find(({ passwordHash }) => passwordHash)?.passwordHash?.cost ?? plainCost,
    hasOrigin: (origin) => origins.has(origin),
    hasOrigins: origins.size > 0,
  };
}

/** Equal for two trusts that the same token would identify. */
export function identityOf({ issuer, subject }: Pick<FederatedTrust, 'issuer' | 'subject'>): string {
  return JSON.stringify([issuer, subject]);
}

function trustsOf(client: ServiceClient): readonly (readonly [string, TrustingClient])[] {
  return (client.federated ?? []).map((trust) => [identityOf(trust), { client, trust }]);
}

export function scopesOf(registered: { readonly scopes?: readonly OAuthScope[] }): readonly OAuthScope[] {
  return registered.scopes ?? oauthScopes;
}
