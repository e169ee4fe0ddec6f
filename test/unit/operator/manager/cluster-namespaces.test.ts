// The caches of an operator that watches some namespaces: complete only when each of them is listed.
import { expect, it } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import type { KubeTransport } from '../../../../src/operator/kube/transport.ts';
import { createCluster } from '../../../../src/operator/manager/cluster.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

it('the caches have not synced before every watched namespace is listed', async () => {
  const clock = new ManualClock();
  const late = Promise.withResolvers<void>();
  let synced = 0;
  const transport: KubeTransport = {
    request: async <T>({ path }: { path: string }) => {
      if (path.includes('/namespaces/late/rolealertpolicies')) await late.promise;
      return { metadata: { resourceVersion: '1' }, items: [] } as T;
    },
    send: async () => ({ status: 200, headers: {}, body: '' }),
    watch: async ({ signal }) => {
      const ended = Promise.withResolvers<undefined>();
      signal?.addEventListener('abort', () => ended.resolve(undefined));
      return { read: () => ended.promise, close: () => ended.resolve(undefined) };
    },
  };
  const cluster = createCluster({
    transport,
    watchNamespaces: ['early', 'late'],
    clusterNamespace: 'rolealerts-system',
    connectionSelector: undefined,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    onPolicy: () => undefined,
    onConnection: () => undefined,
    onNamespace: () => undefined,
    onSynced: () => synced++,
    onFailure: () => undefined,
  });
  cluster.start();
  await clock.advance(0);
  expect([cluster.hasSynced, synced]).toEqual([false, 0]);
  late.resolve();
  await clock.advance(0);
  expect([cluster.hasSynced, synced]).toEqual([true, 1]);
  await cluster.stop();
});
