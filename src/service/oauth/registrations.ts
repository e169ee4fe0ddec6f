// Who may get tokens: programs (clients) and people (users), as the service was started with them. They are not in the data
// file: whoever is taken out of the configuration is out, tokens included.
import type { JWK } from 'jose';

import type { SecretText } from '../../lib/secret-text.ts';
import { oauthScopes, type OAuthScope } from './scopes.ts';

/** A program. With a secret or with keys it gets tokens for itself, with redirect URIs it gets them for people. */
export interface ServiceClient {
  readonly id: string;
  readonly secret?: SecretText;
  /** Public keys whose assertions are taken for the client's (RFC 7523). */
  readonly keys?: readonly JWK[];
  /** Where the implicit flow may send a token; see `redirect-uri.ts`. */
  readonly redirectURIs?: readonly string[];
  /** What its tokens may be good for; absent means everything. */
  readonly scopes?: readonly OAuthScope[];
}

/** A person who signs in. */
export interface ServiceUser {
  readonly name: string;
  readonly password: SecretText;
  /** What a token of this person may be good for; absent means everything. */
  readonly scopes?: readonly OAuthScope[];
}

export interface Registrations {
  client(id: string): ServiceClient | undefined;
  user(name: string): ServiceUser | undefined;
  readonly hasUsers: boolean;
}

/** What `rolealerts login` says it is. It has no secret: whoever has the program has all that it knows. */
const loginClient: ServiceClient = {
  id: 'rolealerts-cli',
  redirectURIs: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
};

/** Where people may sign in, `rolealerts login` may ask for them, unless a client of its id says otherwise. */
export function createRegistrations(clients: readonly ServiceClient[], users: readonly ServiceUser[]): Registrations {
  const all = users.length > 0 ? [loginClient, ...clients] : clients;
  const clientsByID = new Map(all.map((client) => [client.id, client]));
  const usersByName = new Map(users.map((user) => [user.name, user]));
  return {
    client: (id) => clientsByID.get(id),
    user: (name) => usersByName.get(name),
    hasUsers: users.length > 0,
  };
}

export function scopesOf(registered: { readonly scopes?: readonly OAuthScope[] }): readonly OAuthScope[] {
  return registered.scopes ?? oauthScopes;
}
