// deploy/base and deploy/alerts-service as pods of a real node, unchanged.
import { existsSync } from 'node:fs';

import { expect, test } from 'vitest';

import { describeWithPods } from '../support/pods/describe-pods.ts';
import { buildEarlierImage, earlierImage } from '../support/pods/earlier-image.ts';
import { nodeName } from '../support/pods/node-files.ts';
import {
  alertIsActive,
  applyAlertsService,
  cgroupOf,
  deactivateAlert,
  inOperator,
  inService,
  isReady,
  leader,
  nextLeader,
  operatorNamespace,
  operatorPods,
  patchCount,
  type Pod,
  requestReconcile,
  rolledOut,
} from '../support/pods/pods.ts';
import { until } from '../support/rigs/until.ts';
import { eventually } from '../support/servers/control-plane.ts';
import { installOperator } from '../support/servers/test-control-plane.ts';

/** deploy/README.md: until another replica leads after a crash. */
const failOverMs = 45_000;
/** Likewise: a process exits 30 s after the last renewal of its Lease; the rest is for a slow machine. */
const endMs = 40_000;

describeWithPods('deploy as pods', (cluster) => {
  const twoReady = () =>
    eventually('two ready replicas', async () => {
      const pods = await operatorPods(cluster);
      return pods.length === 2 && pods.every(isReady) ? pods : undefined;
    });

  test('two replicas become Ready under the restricted level, and one of them leads', async () => {
    await installOperator(cluster);
    await rolledOut(cluster, operatorNamespace, 'rolealerts');
    const pods = await twoReady();
    expect(pods.map(({ metadata }) => metadata.name)).toContain((await leader(cluster)).pod);
    expect(pods.map(({ status }) => status.containerStatuses?.[0].restartCount)).toEqual([0, 0]);
  });

  test('a pod without their restrictions is refused', async () => {
    const run = ['run', 'unrestricted', ...inOperator, '--image=rolealerts', '--dry-run=server'];
    expect((await cluster.tryKubectl(run)).stderr).toContain('violates PodSecurity "restricted:latest"');
  });

  test('a policy against the alerts service becomes Ready, and a drift is corrected', async () => {
    await applyAlertsService(cluster);
    const startMs = Date.now();
    await deactivateAlert(cluster);
    await requestReconcile(cluster);
    expect(await alertIsActive(cluster)).toBeGreaterThan(startMs);
  });

  test('a rolling update from an earlier commit sends no PATCH and changes no status', async () => {
    cluster.run('ctr', '--namespace', 'k8s.io', 'images', 'import', buildEarlierImage(cluster.scratchDirectory));
    await cluster.kubectl(['set', 'image', 'deployment/rolealerts', ...inOperator, `operator=${earlierImage}`]);
    await rolledOut(cluster, operatorNamespace, 'rolealerts');
    const state = async () => {
      const kinds = 'rolealertpolicies,rolealertconnections';
      const { items } = await cluster.kubectlJson<{ items: object[] }>(['get', kinds, ...inService]);
      return { items, patches: await patchCount(cluster) };
    };
    const log = async () => cluster.kubectl(['logs', (await leader(cluster)).pod, ...inOperator]);
    const firstRound = () =>
      until(async () => (await log()).includes('first round completed'), 'the first round of the leader');
    await firstRound();
    expect(await log()).toContain('"version":"earlier"');
    const before = await state();

    await cluster.kubectl(['rollout', 'undo', 'deployment/rolealerts', ...inOperator]);
    await rolledOut(cluster, operatorNamespace, 'rolealerts');
    await firstRound();
    expect(await log()).not.toContain('"version":"earlier"');
    expect(await state()).toEqual(before);
  });

  test('the next leader corrects a drift after the pod of the leader was deleted', async () => {
    const before = await leader(cluster);
    await deactivateAlert(cluster);
    const startMs = Date.now();
    await cluster.kubectl(['delete', 'pod', before.pod, ...inOperator, '--wait=false']);
    const after = await nextLeader(cluster, before.identity);
    const correctedMs = await alertIsActive(cluster);
    console.log(`deleted: next leader ${after.sinceMs - startMs} ms, corrected ${correctedMs - startMs} ms`);
    expect(after.sinceMs - startMs).toBeLessThan(failOverMs);
    await twoReady();
  });

  test('the next leader corrects a drift after the process of the leader was killed', async () => {
    const pods = await twoReady();
    const before = await leader(cluster);
    const [pid = 0] = pods
      .filter(({ metadata }) => metadata.name === before.pod)
      .flatMap((pod) => cgroupOf(cluster, pod).pids);
    expect(pid).toBeGreaterThan(1);
    await deactivateAlert(cluster);
    const startMs = Date.now();
    process.kill(pid, 'SIGKILL');
    const after = await nextLeader(cluster, before.identity);
    const correctedMs = await alertIsActive(cluster);
    console.log(`killed: next leader ${after.sinceMs - startMs} ms, corrected ${correctedMs - startMs} ms`);
    expect(after.sinceMs - startMs).toBeLessThan(failOverMs);
    expect((await twoReady()).map(({ status }) => status.containerStatuses?.[0].restartCount)).toContain(1);
  });

  const evict = (pod: string) => {
    const input = JSON.stringify({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod, namespace: operatorNamespace },
    });
    const path = `/api/v1/namespaces/${operatorNamespace}/pods/${pod}/eviction`;
    return cluster.tryKubectl(['create', '--raw', path, '--filename', '-'], { input });
  };

  test('a leader without an API server ends in time, and the operator resumes its work afterwards', async () => {
    const { pod: name } = await leader(cluster);
    const leading = (await twoReady()).find(({ metadata }) => metadata.name === name) as Pod;
    const { pids } = cgroupOf(cluster, leading);
    await cluster.tell('stop the API server');
    const startMs = Date.now();
    await until(() => !existsSync(`/proc/${pids[0]}`), 'the leader has ended');
    console.log(`without the API server: ended ${Date.now() - startMs} ms`);
    expect(Date.now() - startMs).toBeLessThan(endMs);
    await cluster.tell('start the API server');
    await until(async () => {
      const { status } = await cluster.kubectlJson<Pod>(['get', 'pod', name, ...inOperator]);
      return status.containerStatuses?.[0].lastState.terminated?.exitCode === 1;
    }, 'the kubelet has reported it');
    await twoReady();
    await deactivateAlert(cluster);
    await requestReconcile(cluster);
    await alertIsActive(cluster);
  });

  test('the memory of each replica is within the request and the limit of the manifests', async () => {
    for (const pod of await twoReady()) {
      const { memoryBytes, limitBytes } = cgroupOf(cluster, pod);
      console.log(`memory ${Math.round(memoryBytes / 2 ** 20)} MiB`);
      expect(limitBytes).toBe(768 * 2 ** 20);
      expect(memoryBytes).toBeLessThan(128 * 2 ** 20);
    }
  });

  test('the disruption budget lets one replica at a time be evicted', async () => {
    const [first, second] = (await twoReady()).map(({ metadata }) => metadata.name);
    // So that no other replica becomes ready meanwhile, as in a drain of the only node.
    await cluster.kubectl(['cordon', nodeName]);
    expect(await evict(first ?? '')).toMatchObject({ exitCode: 0 });
    const { exitCode, stderr } = await evict(second ?? '');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('disruption budget') });
    await cluster.kubectl(['uncordon', nodeName]);
    await twoReady();
  });

  test('an operator that cannot start says why, and all its replicas may be evicted', async () => {
    const patch = [
      { op: 'add', path: '/spec/template/spec/containers/0/args/-', value: '--no-such-option' },
      { op: 'replace', path: '/spec/strategy/rollingUpdate/maxUnavailable', value: '100%' },
    ];
    await cluster.kubectl([
      'patch',
      'deployment/rolealerts',
      ...inOperator,
      '--type=json',
      `--patch=${JSON.stringify(patch)}`,
    ]);
    const broken = await eventually('two broken replicas', async () => {
      const pods = await operatorPods(cluster);
      const messages = pods.map(({ status }) => status.containerStatuses?.[0].lastState.terminated?.message);
      return pods.length === 2 && messages.every((message) => message?.includes('--no-such-option')) ? pods : undefined;
    });
    for (const { metadata } of broken) expect(await evict(metadata.name)).toMatchObject({ exitCode: 0 });
    await cluster.kubectl(['rollout', 'undo', 'deployment/rolealerts', ...inOperator]);
    await twoReady();
  });
});
