// Which connections wait for each other when they resolve the names of their services.
import { expect, test } from 'vitest';

import { systemClock } from '../../../../src/lib/clock.ts';
import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { createAlertClientFactory } from '../../../../src/operator/manager/alert-client-factory.ts';
import type { AnyConnection } from '../../../../src/policy/resources.ts';
import { clusterConnection, connection } from '../../../support/builders/objects.ts';

const auth = { tokenSecretRef: { name: 'token', key: 'value' } };

function inNamespace(namespace: string, name: string): AnyConnection {
  const { metadata, ...rest } = connection({ auth, endpoint: endpointOf(`${namespace}-${name}`) });
  return { ...rest, metadata: { ...metadata, namespace, name, uid: `${namespace}/${name}` } };
}

function ofCluster(name: string): AnyConnection {
  const { metadata, ...rest } = clusterConnection({ auth, endpoint: endpointOf(name) });
  return { ...rest, metadata: { ...metadata, name, uid: name } };
}

function endpointOf(host: string) {
  return { ...connection().spec.endpoint, baseURL: `https://${host}.example` };
}

test('a name that no server resolves delays the connections of its namespace only', async () => {
  const asked: string[] = [];
  const factory = createAlertClientFactory({
    credentials: { readSecretValue: async () => new SecretText('token'), readConfigMapValue: async () => '' },
    serviceAccounts: {
      readIdentity: async () => new SecretText('uid'),
      requestToken: async () => new SecretText('assertion'),
    },
    clusterNamespace: 'rolealerts-system',
    isBeingDeleted: () => false,
    allowHttp: false,
    allowedHosts: [],
    proxies: undefined,
    allowPrivateEndpoints: false,
    clock: systemClock,
    random: seededRandom(1),
    log: silentLogger,
    observe: () => undefined,
    openDispatcher: undefined,
    lookup: (host) => void asked.push(host),
  });
  const teams = ['one', 'two'].flatMap((name) => [inNamespace('team-a', name), inNamespace('team-b', name)]);
  const clients = [...teams, ofCluster('prod'), ofCluster('test')].map((each) => factory.open(each));
  const call = { priority: 'high' as const, signal: new AbortController().signal };
  const lists = clients.map((client) => client.listAlerts('subscriptions/a', call).catch(() => undefined));
  await expect.poll(() => asked.length).toBe(4);
  await Promise.all([...clients.map((client) => client.stop()), ...lists]);
  expect(asked.sort()).toEqual(['prod.example', 'team-a-one.example', 'team-b-one.example', 'test.example']);
});
