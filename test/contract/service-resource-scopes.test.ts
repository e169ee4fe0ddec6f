// Clients and users that may access only some resource scopes: both operations, whole segments, any letter case, and a refusal that does
// not reveal whether a scope exists.
import { expect, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import {
  clientsWith,
  fragmentOf,
  operator,
  portalURI,
  publicURL,
  sendForm,
  tokenOf,
  user,
  users,
} from '../support/rigs/oauth-rig.ts';
import { startService, json, sharedService, turnOff } from '../support/servers/alerts-service-cases.ts';
import { apiVersion, errorOf, listPath, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const limited = (resourceScopes: readonly string[]) => [
  { id: operator.id, secret: new SecretText(operator.secret), resourceScopes },
];
const target = (scope: string) => `/${scope}${listPath}?${apiVersion}`;

async function statusOf(service: ServiceUnderTest, token: string, scope: string): Promise<string> {
  const received = await service.send({ target: target(scope), headers: { authorization: `Bearer ${token}` } });
  return received.status === 200 ? '200' : errorOf(received);
}

const shared = sharedService({ publicURL, clients: limited(['Subscriptions/ONE']) });

test.each([
  ['the scope itself', 'subscriptions/one', '200'],
  ['it in other letters', 'SUBSCRIPTIONS/One', '200'],
  ['it with an encoded slash', 'subscriptions%2Fone', '200'],
  ['a scope below it', 'subscriptions/one/providers/Vendor.Compute/machines/m', '200'],
  ['an unknown scope below it', 'subscriptions/one/resourceGroups/x', '404 ScopeNotFound'],
  ['another scope that exists', 'subscriptions/empty', '403 ScopeForbidden'],
  ['another scope that does not', 'subscriptions/nothing', '403 ScopeForbidden'],
  ['one that only begins with the same letters', 'subscriptions/one-more', '403 ScopeForbidden'],
  ['a scope above it', 'subscriptions', '403 ScopeForbidden'],
])('a client that may access one scope: %s', async (_, scope, expected) => {
  const service = await shared();
  expect(await statusOf(service, await tokenOf(service, operator), scope)).toBe(expected);
});

test('an update of another scope is refused, the same for every alert, and changes nothing', async () => {
  const service = await startService({ publicURL, clients: limited(['subscriptions/empty']) });
  const headers = { ...json, authorization: `Bearer ${await tokenOf(service, operator)}` };
  const responses = [
    await service.send({ ...turnOff, headers }),
    await service.send({ ...turnOff, target: turnOff.target.replace('/A?', '/Unknown?'), headers }),
    await service.send({ ...turnOff, target: turnOff.target.replace('/one/', '/unknown/'), headers }),
  ];
  for (const received of responses) {
    expect([errorOf(received), received.headers['www-authenticate'], received.text]).toEqual([
      '403 ScopeForbidden',
      'Bearer realm="rolealerts"',
      responses[0]?.text,
    ]);
  }
  expect(service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({ properties: { isActive: true } });
});

test('a user may access what both the user and the client may', async () => {
  const service = await startService({
    publicURL,
    clients: [{ id: 'portal', redirectURIs: [portalURI], resourceScopes: ['subscriptions'] }],
    users: users.map((each) => ({ ...each, resourceScopes: ['subscriptions/one', 'clusters'] })),
    seed: {
      scopes: { 'subscriptions/one': { value: [] }, 'subscriptions/two': { value: [] }, clusters: { value: [] } },
    },
  });
  const form = { response_type: 'token', client_id: 'portal', username: user.name, password: user.password };
  const { access_token: token = '' } = fragmentOf(await sendForm(service, form));
  expect(await statusOf(service, token, 'subscriptions/one')).toBe('200');
  expect(await statusOf(service, token, 'subscriptions/two')).toBe('403 ScopeForbidden');
  expect(await statusOf(service, token, 'clusters')).toBe('403 ScopeForbidden');
});

test('a client without the limit may access every scope', async () => {
  const service = await startService({ publicURL, clients: clientsWith() });
  expect(await statusOf(service, await tokenOf(service, operator), 'subscriptions/empty')).toBe('200');
});
