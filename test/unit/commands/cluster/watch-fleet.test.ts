// What a report that follows the cluster shows of objects that it cannot read, and of watches that fail.
import { describe, expect, test } from 'vitest';

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

/** Lists `stored` as the policies and nothing else. `watch`: what a watch does. `refusals`: of the lists of cluster connections. */
function follow(watch: KubeTransport['watch'], refusals: KubeErrorCode[] = []) {
  const stopping = new AbortController();
  const shown: FleetInput[] = [];
  const failures: (string | undefined)[] = [];
  const transport: KubeTransport = {
    async request<T>({ path }: { readonly path: string }) {
      const refusal = path.includes('/clusterrolealertconnections?') ? refusals.shift() : undefined;
      if (refusal) throw new KubeError(refusal, 'refused');
      return list(path.includes('/rolealertpolicies?') ? stored : []) as T;
    },
    send: () => Promise.reject(new Error('not in this test')),
    watch,
  };
  const ended = watchFleet(
    { transport, namespace: undefined, signal: stopping.signal, note: () => undefined },
    (input) => void shown.push(input),
    (sentence) => void failures.push(sentence),
  );
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  return { shown, failures, stop };
}

describe('a report that follows the cluster', () => {
  test('names the objects that this version cannot read, and shows the others', async () => {
    const { shown, failures, stop } = follow(quietWatch);
    await until(() => shown.length > 0, 'the fleet is shown');
    await stop();
    expect(shown[0]?.policies.map(({ metadata }) => metadata.name)).toEqual(['owners']);
    expect(shown[0]?.notes).toEqual([
      expect.stringMatching(/^RoleAlertPolicy team\/newer is not shown, because this version .* cannot read it \(/),
    ]);
    expect(failures).toEqual([]);
  });

  test('is current again once the API server answers, also when it refuses the cluster connections', async () => {
    const { failures, stop } = follow(quietWatch, ['kube-unreachable', 'kube-not-found']);
    await until(() => failures.length === 2, 'the failure begins and ends');
    await stop();
    expect(failures).toEqual([expect.stringContaining('does not answer'), undefined]);
  });

  test('reports a watch that fails', async () => {
    const { failures, stop } = follow(() => Promise.reject(new KubeError('kube-unreachable', 'connection refused')));
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

  test('a lost position in a watch is no failure', () => {
    const sentences: (string | undefined)[] = [];
    const watch = new WatchHealth({ now: () => nowMs }, (sentence) => void sentences.push(sentence)).observer;
    watch.onFailure('rolealertpolicies', 'kube-gone');
    expect(sentences).toEqual([]);
  });
});
