// The client and the alerts service, which know nothing of each other, over a socket.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { AlertClient } from '../../src/operator/alert-client/alert-client.ts';
import type { ConnectOptions } from '../../src/operator/alert-client/connect.ts';
import { call, failureOf, connectClient } from '../support/rigs/alert-client-rig.ts';
import { startOverSocket, staticToken, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const scope = 'subscriptions/s1/groups/a b~(c)';
const names = ['A', 'B', 'C', 'D', 'E'];
const seed = {
  scopes: { [scope]: { value: names.map((name) => ({ name, properties: { isActive: false, alertIncidents: [] } })) } },
};

let service: ServiceUnderTest;
const clients: AlertClient[] = [];

beforeEach(async () => {
  service = await startOverSocket({ seed, pageSize: 2 });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.stop()));
  await service.stop();
});

function connect(credential: string, change: Partial<ConnectOptions> = {}): AlertClient {
  const client = connectClient(service.origin, credential, change);
  clients.push(client);
  return client;
}

async function activeNames(client: AlertClient): Promise<readonly string[]> {
  const { alerts } = await client.listAlerts(scope, call());
  return alerts.filter(({ isActive }) => isActive).map(({ name }) => name);
}

describe('the client and the service', () => {
  test('agree on pages, names and flags', async () => {
    const client = connect(staticToken);
    const list = await client.listAlerts(scope, call());
    expect([list.pages, list.alerts.map(({ name }) => name)]).toEqual([3, names]);
    expect(await activeNames(client)).toEqual([]);
    expect(await client.patchAlert(scope.toUpperCase(), 'c', true, call())).toBe('sent');
    expect(await activeNames(client)).toEqual(['C']);
    expect(await client.patchAlert(scope, 'C', false, call())).toBe('sent');
    expect(await activeNames(client)).toEqual([]);
  });

  test('agree on client credentials, whatever characters they have', async () => {
    const tokenURL = `${service.origin}/common/oauth2/token`;
    const authentication = { kind: 'ClientCredentials', tokenURL, clientID: 'operator', scopes: [] } as const;
    const client = connect('s3cret/with:odd +chars%\n', { authentication });
    expect((await client.listAlerts(scope, call())).alerts).toHaveLength(5);
    const wrong = await failureOf(connect('guess', { authentication }).listAlerts(scope, call()));
    expect(wrong.error).toMatchObject({ code: 'token-endpoint-failed', status: 401 });
  });

  test.each([
    { name: 'a wrong token', credential: 'guess', expected: { code: 'service-denied', status: 401 } },
    {
      name: 'an unknown version',
      change: { apiVersion: '1999-01-01' },
      expected: { code: 'service-rejected', status: 400 },
    },
    { name: 'another provider', change: { providerNamespace: 'Other' }, expected: { code: 'scope-not-found' } },
  ])('agree on $name', async ({ credential = staticToken, change, expected }) => {
    const endpoint = {
      baseURL: service.origin,
      providerNamespace: 'Vendor.Authorization',
      apiVersion: '2022-08-01-preview',
      ...change,
    };
    const { error } = await failureOf(connect(credential, { endpoint }).listAlerts(scope, call()));
    expect(error).toMatchObject({ ...expected, serviceCode: expect.stringMatching(/^[A-Z]/) });
  });

  test('agree on an alert that is not there', async () => {
    const { error } = await failureOf(connect(staticToken).patchAlert(scope, 'Unknown', true, call()));
    expect(error).toMatchObject({ code: 'alert-refused', status: 404 });
  });
});
