// The rate limiter of a connection belongs to the object, not to its spec or its client: no edit fills it again.
import { expect, test } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import type { AlertClient } from '../../../../src/operator/alert-client/alert-client.ts';
import { createAlertClientFactory } from '../../../../src/operator/manager/alert-client-factory.ts';
import { connection } from '../../../support/builders/objects.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const second = 1000;

function clientFactoryOn(clock: ManualClock) {
  const never = () => Promise.reject(new Error('not needed here'));
  return createAlertClientFactory({
    credentials: { readSecretValue: never, readConfigMapValue: never },
    serviceAccounts: { readIdentity: never, requestToken: never },
    clusterNamespace: 'rolealerts-system',
    isBeingDeleted: () => false,
    allowHttp: false,
    allowedHosts: [],
    proxies: undefined,
    allowPrivateEndpoints: false,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    observe: () => undefined,
    openDispatcher: undefined,
  });
}

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
  const clientFactory = clientFactoryOn(clock);
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
  const clientFactory = clientFactoryOn(clock);
  clientFactory.open(connection({ limits }));
  await clock.advance(60 * second);
  expect(await grantedNow(clientFactory.open(connection({ limits: { ...limits, burst: 4 } })), clock)).toBe(4);
});

test('another object under the same name begins with a rate limiter of its own, and one that is gone refuses', async () => {
  const clock = new ManualClock();
  const clientFactory = clientFactoryOn(clock);
  const prod = connection({ limits });
  const former = clientFactory.open(prod);
  await grantedNow(former, clock);
  const anew = { ...prod, metadata: { ...prod.metadata, uid: 'another' } };
  expect(await grantedNow(clientFactory.open(anew), clock)).toBe(10);
  clientFactory.forget(prod.metadata.uid);
  const call = { priority: 'high', signal: new AbortController().signal } as const;
  await expect(former.reserve(1, call)).rejects.toMatchObject({ code: 'stopped' });
});
