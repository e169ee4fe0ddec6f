// When the operator starts although the API server refuses to list some resources.
import { describe, expect, it } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import type { KubeResource } from '../../../../src/operator/kube/resource.ts';
import { CacheSync } from '../../../../src/operator/manager/cluster.ts';

const resource = (plural: string): KubeResource => ({ group: 'rolealerts.dev', version: 'v1alpha1', plural });
const [policies, connections, cluster, namespaces] = [
  resource('rolealertpolicies'),
  resource('rolealertconnections'),
  resource('clusterrolealertconnections'),
  resource('namespaces'),
] as const;

function syncing() {
  const warned: object[] = [];
  let synced = 0;
  const sync = new CacheSync({
    required: [policies, connections],
    optional: [cluster, namespaces],
    log: { ...silentLogger, warn: (fields: object) => void warned.push(fields) },
    onSynced: () => (synced += 1),
  });
  return { sync, warned, synced: () => synced };
}

describe('the caches are complete', () => {
  it('once every resource is listed, in any order, and only once', () => {
    const { sync, synced } = syncing();
    for (const each of [namespaces, policies, cluster]) sync.listed(each);
    expect([sync.isDone, synced()]).toEqual([false, 0]);
    for (const each of [connections, connections]) sync.listed(each);
    expect([sync.isDone, synced()]).toEqual([true, 1]);
  });

  it('also when the API server does not serve cluster connections, which is logged once with the fix', () => {
    const { sync, warned } = syncing();
    for (const each of [namespaces, policies, connections]) sync.listed(each);
    sync.failed(cluster, 'kube-not-found');
    sync.failed(cluster, 'kube-not-found');
    expect(sync.isDone).toBe(true);
    expect(warned).toEqual([
      { resource: 'clusterrolealertconnections', code: 'kube-not-found', fix: expect.stringContaining('apply crds') },
    ]);
  });

  it('also when the operator may not list namespaces', () => {
    const { sync, warned } = syncing();
    for (const each of [cluster, policies, connections]) sync.listed(each);
    sync.failed(namespaces, 'kube-denied');
    expect(sync.isDone).toBe(true);
    expect(warned).toEqual([
      { resource: 'namespaces', code: 'kube-denied', fix: expect.stringContaining('deploy/base') },
    ]);
  });

  it.each([
    ['while the API server is starting and serves no custom resource', [], cluster, 'kube-not-found'],
    ['while the API server cannot be reached', [policies, connections, namespaces], cluster, 'kube-unreachable'],
    ['while a required resource is refused', [policies, cluster, namespaces], connections, 'kube-not-found'],
  ] as const)('not %s', (_, listed, failing, code) => {
    const { sync } = syncing();
    for (const each of listed) sync.listed(each);
    sync.failed(failing, code);
    expect(sync.isDone).toBe(false);
  });
});

describe('a new list of a resource', () => {
  it('that is refused meanwhile is not awaited', async () => {
    const { sync } = syncing();
    for (const each of [policies, connections]) sync.listed(each);
    const awaited = sync.unlessRefused(cluster, new Promise(() => undefined));
    sync.failed(cluster, 'kube-not-found');
    expect(await awaited).toBe(true);
    expect(await sync.unlessRefused(cluster, new Promise(() => undefined))).toBe(true);
  });
});
