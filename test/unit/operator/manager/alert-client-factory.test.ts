// What the clients of several connections share: the rate limiter of an object, which no edit fills again, and lookups of names.
import { expect, test } from 'vitest';

import { systemClock } from '../../../../src/lib/clock.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import type { AlertClient } from '../../../../src/operator/alert-client/alert-client.ts';
import type { AnyConnection } from '../../../../src/policy/resources.ts';
import { clusterConnection, connection } from '../../../support/builders/objects.ts';
import { factoryOn } from '../../../support/rigs/alert-client-factory-rig.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const second = 1000;

/** A request a second, twenty at once. */
const limits = { ...connection().spec.limits, requestsPerHour: 3600, burst: 20 };

/** How many requests may go out now. */
async function grantedNow(client: AlertClient, clock: ManualClock): Promise<number> {
  for (let count = 0; ; count++) {
    const enough = new AbortController();
    const reserved = client.reserve(1, { priority: 'high', signal: enough.signal }).then(
      () => true,
      () => false,
    );
    await clock.advance(0);
    enough.abort();
    if (!(await reserved)) return count;
  }
}

test('a start has half of the burst, and an edit of the limits adds nothing', async () => {
  const clock = new ManualClock();
  const clientFactory = factoryOn(clock);
  expect(await grantedNow(clientFactory.open(connection({ limits })), clock)).toBe(10);
  for (const burst of [20, 40, 5]) {
    const edited = clientFactory.open(connection({ limits: { ...limits, burst } }));
    expect(await grantedNow(edited, clock)).toBe(0);
  }
  await clock.advance(3 * second);
  expect(await grantedNow(clientFactory.open(connection({ limits })), clock)).toBe(3);
});

test('a smaller burst holds at once, also for what was earned before', async () => {
  const clock = new ManualClock();
  const clientFactory = factoryOn(clock);
  clientFactory.open(connection({ limits }));
  await clock.advance(60 * second);
  expect(await grantedNow(clientFactory.open(connection({ limits: { ...limits, burst: 4 } })), clock)).toBe(4);
});

test('another object under the same name begins with a rate limiter of its own, and one that is gone refuses', async () => {
  const clock = new ManualClock();
  const clientFactory = factoryOn(clock);
  const prod = connection({ limits });
  const former = clientFactory.open(prod);
  await grantedNow(former, clock);
  const anew = { ...prod, metadata: { ...prod.metadata, uid: 'another' } };
  expect(await grantedNow(clientFactory.open(anew), clock)).toBe(10);
  clientFactory.forget(prod.metadata.uid);
  const call = { priority: 'high', signal: new AbortController().signal } as const;
  await expect(former.reserve(1, call)).rejects.toMatchObject({ code: 'stopped' });
});

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
  const factory = factoryOn(systemClock, {
    credentials: { readSecretValue: async () => new SecretText('token'), readConfigMapValue: async () => '' },
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
