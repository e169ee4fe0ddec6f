import { expect, test } from 'vitest';

import type { TokenGrant } from '../../../../src/service/oauth/keys/access-tokens.ts';
import { createPrincipals } from '../../../../src/service/oauth/principals.ts';
import type { Registrations, ServiceClient, ServiceUser } from '../../../../src/service/oauth/registrations.ts';

/** Registrations that a test replaces, as a file that is read again does. */
function started(client: ServiceClient | undefined, user?: ServiceUser) {
  const registered = { client, user };
  const registrations = {
    client: (id: string) => (registered.client?.id === id ? registered.client : undefined),
    user: (name: string) => (registered.user?.name === name ? registered.user : undefined),
  } as Registrations;
  return { registered, principalOf: createPrincipals(registrations) };
}

const ofClient: TokenGrant = {
  subject: 'tools',
  subjectType: 'client',
  clientID: 'tools',
  scopes: ['user_impersonation', 'alerts.read'],
};
const ofUser: TokenGrant = { ...ofClient, subject: 'ada', subjectType: 'user' };
const ada = { name: 'ada', password: undefined } as unknown as ServiceUser;

test('a client that is removed has no principal, and one that returns has the scopes it has now', () => {
  const { registered, principalOf } = started({ id: 'tools' });
  expect(principalOf(ofClient)?.scopes).toEqual(new Set(ofClient.scopes));
  registered.client = undefined;
  expect(principalOf(ofClient)).toBeUndefined();
  registered.client = { id: 'tools', scopes: ['alerts.read'] };
  expect(principalOf(ofClient)?.scopes).toEqual(new Set(['alerts.read']));
});

test('a user who is removed, or registered anew with fewer scopes or a resource scope, is so for the next request', () => {
  const { registered, principalOf } = started({ id: 'tools' }, ada);
  expect(principalOf(ofUser)).toEqual({
    class: 'user',
    name: 'ada',
    clientID: 'tools',
    scopes: new Set(ofUser.scopes),
  });
  registered.user = { ...ada, scopes: ['alerts.read'], resourceScopes: ['subscriptions/one'] };
  expect(principalOf(ofUser)).toEqual({
    class: 'user',
    name: 'ada',
    clientID: 'tools',
    scopes: new Set(['alerts.read']),
    resourceScopes: [['subscriptions/one']],
  });
  registered.user = undefined;
  expect(principalOf(ofUser)).toBeUndefined();
});
