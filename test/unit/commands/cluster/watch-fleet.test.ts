// What a report that follows the cluster shows of objects that it cannot read, and of watches that fail.
import { describe, expect, test } from 'vitest';

import { readFleet } from '../../../../src/commands/cluster/read-fleet.ts';
import { watchFleet } from '../../../../src/commands/cluster/watch-fleet.ts';
import { WatchHealth } from '../../../../src/commands/cluster/watch-health.ts';
import type { FleetInput } from '../../../../src/commands/report/fleet.ts';
import { KubeError, type KubeErrorCode } from '../../../../src/operator/kube/kube-error.ts';
import type { KubeTransport } from '../../../../src/operator/kube/transport.ts';
import { nowMs, policy } from '../../../support/builders/objects.ts';
import { until } from '../../../support/rigs/until.ts';

const stored = [policy(), { ...policy({ name: 'newer' }), spec: { mode: 'Dream' } }];
const list = (items: readonly object[]) => ({ metadata: { resourceVersion: '1' }, items });

/** Nothing happens until it is stopped. */
const quietWatch: KubeTransport['watch'] = async ({ signal }) => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  signal?.addEventListener('abort', () => resolve(undefined));
  return { read: () => promise, close: () => resolve(undefined) };
};

/** Lists `stored` as the policies and nothing else. `watch`: what a watch does. `refusal`: of the lists of cluster connections. */
async function follow(watch: KubeTransport['watch'], refusal?: KubeErrorCode) {
  const stopping = new AbortController();
  const shown: FleetInput[] = [];
  const failures: (string | undefined)[] = [];
  const notes: string[] = [];
  const transport: KubeTransport = {
    async request<T>({ path }: { readonly path: string }) {
      if (refusal && path.includes('/clusterrolealertconnections?')) throw new KubeError(refusal, 'refused');
      return list(path.includes('/rolealertpolicies?') ? stored : []) as T;
    },
    send: () => Promise.reject(new Error('not in this test')),
    watch,
  };
  const note = (sentence: string) => void notes.push(sentence);
  const place = { transport, namespace: undefined, signal: stopping.signal, note };
  const ended = watchFleet(
    place,
    await readFleet(place),
    (input) => void shown.push(input),
    (sentence) => void failures.push(sentence),
  );
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  return { shown, failures, notes, stop };
}

describe('a report that follows the cluster', () => {
  test('names the objects that this version cannot read, and shows the others', async () => {
    const { shown, failures, notes, stop } = await follow(quietWatch);
    await until(() => shown.length > 0, 'the fleet is shown');
    await stop();
    expect(shown[0]?.policies.map(({ metadata }) => metadata.name)).toEqual(['owners']);
    expect(shown[0]?.notes).toEqual([
      expect.stringMatching(/^RoleAlertPolicy team\/newer is not shown, because this version .* cannot read it \(/),
    ]);
    expect(failures).toEqual([]);
    // Once, though it is read and then watched.
    expect(notes).toEqual(shown[0]?.notes);
  });

  test.each(['kube-denied', 'kube-not-found'] as const)(
    'does not watch the cluster connections that were refused with %s',
    async (refusal) => {
      const { shown, failures, stop } = await follow(quietWatch, refusal);
      await until(() => shown.length > 0, 'the fleet is shown');
      await stop();
      expect(shown[0]?.notes?.[0]).toMatch(/^ClusterRoleAlertConnections are not shown, because /);
      expect(failures).toEqual([]);
    },
  );

  test('reports a watch that fails', async () => {
    const { failures, stop } = await follow(() =>
      Promise.reject(new KubeError('kube-unreachable', 'connection refused')),
    );
    await until(() => failures.length > 0, 'the failure is reported');
    await stop();
    expect(failures[0]).toMatch(/^Since \S+Z the API server does not answer/);
  });
});

describe('the health of watches', () => {
  test('is reported from the first failure until every watch works again, with the time of the first', () => {
    let timeMs = nowMs;
    const sentences: (string | undefined)[] = [];
    const watch = new WatchHealth({ now: () => timeMs }, (sentence) => void sentences.push(sentence)).observer;
    watch.onFailure('rolealertpolicies', 'kube-unreachable');
    timeMs += 60_000;
    watch.onFailure('rolealertpolicies', 'kube-unreachable');
    watch.onFailure('rolealertconnections', 'kube-unreachable');
    watch.onFailure('rolealertpolicies', 'kube-denied');
    watch.onServed('rolealertpolicies');
    watch.onServed('rolealertconnections');
    expect(sentences).toEqual([
      expect.stringMatching(/^Since 2026-06-01T12:00:00Z the API server does not answer/),
      expect.stringMatching(/^Since 2026-06-01T12:00:00Z .* renew the credential of the kubeconfig/),
      expect.stringMatching(/^Since 2026-06-01T12:01:00Z the API server does not answer/),
      undefined,
    ]);
  });

  test('names the role that reads what was refused', () => {
    const rolesOf = (resource: string) => {
      const sentences: (string | undefined)[] = [];
      new WatchHealth({ now: () => nowMs }, (sentence) => void sentences.push(sentence)).observer.onFailure(
        resource,
        'kube-denied',
      );
      return /ClusterRole (\S+)\.$/.exec(sentences[0] ?? '')?.[1];
    };
    expect(rolesOf('rolealertpolicies')).toBe('rolealerts-view');
    expect(rolesOf('clusterrolealertconnections')).toBe('rolealerts-platform-admin');
  });

  test('a lost position in a watch is no failure', () => {
    const sentences: (string | undefined)[] = [];
    const watch = new WatchHealth({ now: () => nowMs }, (sentence) => void sentences.push(sentence)).observer;
    watch.onFailure('rolealertpolicies', 'kube-gone');
    expect(sentences).toEqual([]);
  });
});
