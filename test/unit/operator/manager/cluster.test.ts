// The caches of an operator: the requests of a shard, for its own connections and every policy, and when all of them are complete.
import { describe, expect, it } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import type { KubeTransport } from '../../../../src/operator/kube/transport.ts';
import { createCluster } from '../../../../src/operator/manager/cluster.ts';
import { connection } from '../../../support/builders/objects.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const labelled = (shard: string) => ({ ...connection(), metadata: { ...connection().metadata, labels: { shard } } });

function clusterWith(
  connectionSelector: string | undefined,
  stored: object = labelled('a'),
  watchNamespaces: readonly string[] = [],
  beforeAnswer: (path: string) => Promise<void> | undefined = () => undefined,
) {
  const clock = new ManualClock();
  const counts = { synced: 0 };
  const asked: string[] = [];
  const transport: KubeTransport = {
    request: async <T>({ verb, path }: { verb: string; path: string }) => {
      asked.push(`${verb} ${decodeURIComponent(path)}`);
      await beforeAnswer(path);
      return (verb === 'list' ? { metadata: { resourceVersion: '1' }, items: [] } : stored) as T;
    },
    send: async () => ({ status: 200, headers: {}, body: JSON.stringify(stored) }),
    watch: async ({ path, signal }) => {
      asked.push(`watch ${decodeURIComponent(path)}`);
      const ended = Promise.withResolvers<undefined>();
      signal?.addEventListener('abort', () => ended.resolve(undefined));
      return { read: () => ended.promise, close: () => ended.resolve(undefined) };
    },
  };
  const cluster = createCluster({
    transport,
    watchNamespaces,
    clusterNamespace: 'rolealerts-system',
    connectionSelector,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    onPolicy: () => undefined,
    onConnection: () => undefined,
    onNamespace: () => undefined,
    onSynced: () => counts.synced++,
    onFailure: () => undefined,
  });
  return { cluster, asked, clock, counts };
}

const hasSelector = (path: string) => path.replaceAll('+', ' ').includes('labelSelector=shard in (a,b)');
const { signal } = new AbortController();

describe('a shard', () => {
  it('lists and watches the connections that its selector selects, and all policies', async () => {
    const { cluster, asked, clock } = clusterWith('shard in (a,b)');
    cluster.start();
    await clock.advance(0);
    const ofConnections = asked.filter((path) => path.includes('rolealertconnections'));
    const ofPolicies = asked.filter((path) => path.includes('/rolealertpolicies'));
    expect([ofConnections.length, ofConnections.every(hasSelector)]).toEqual([4, true]);
    expect([ofPolicies.length, ofPolicies.some((path) => path.includes('labelSelector'))]).toEqual([2, false]);
    await cluster.stop();
  });

  it('does not read a connection that went to another shard, but knows that it is somewhere', async () => {
    const mine = clusterWith('shard=a').cluster;
    expect(await mine.readConnection('team', 'prod', signal)).toMatchObject({ metadata: { uid: 'uid-prod' } });
    const { cluster } = clusterWith('shard=a', labelled('b'));
    expect(await cluster.readConnection('team', 'prod', signal)).toBeUndefined();
    expect(await cluster.readUidAnywhere?.('team', 'prod', signal)).toBe('uid-prod');
  });
});

it('the caches have not synced before every watched namespace is listed', async () => {
  const late = Promise.withResolvers<void>();
  const { cluster, clock, counts } = clusterWith(undefined, undefined, ['early', 'late'], (path) =>
    path.includes('/namespaces/late/rolealertpolicies') ? late.promise : undefined,
  );
  cluster.start();
  await clock.advance(0);
  expect([cluster.hasSynced, counts.synced]).toEqual([false, 0]);
  late.resolve();
  await clock.advance(0);
  expect([cluster.hasSynced, counts.synced]).toEqual([true, 1]);
  await cluster.stop();
});
