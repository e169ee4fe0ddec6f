// deploy/base and deploy/alerts-service as pods of a real node, unchanged.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { describeWithPods } from '../support/pods/describe-pods.ts';
import { makeEarlierCommit } from '../support/pods/earlier-commit.ts';
import { nodeName } from '../support/pods/node-files.ts';
import {
  alertIsActive,
  apply,
  applyAlertsService,
  cgroupOf,
  type ContainerCgroup,
  deactivateAlert,
  exhaustMemory,
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

/** deploy/README.md: until another replica leads after a release of the Lease, and after a crash. */
const releaseMs = 5000;
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
    const startMs = Date.now();
    await installOperator(cluster);
    await rolledOut(cluster, operatorNamespace, 'rolealerts');
    const pods = await twoReady();
    console.log(`installed: two replicas Ready ${Date.now() - startMs} ms after the first kubectl apply`);
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

  test('an update of the manifests of an earlier commit has no conflict, sends no PATCH and changes no status', async () => {
    const { checkout, image } = makeEarlierCommit(cluster.scratchDirectory);
    cluster.run('ctr', '--namespace', 'k8s.io', 'images', 'import', image);
    const overlay = join(cluster.scratchDirectory, 'overlay');
    mkdirSync(overlay);
    const earlier = {
      resources: ['crds', 'deploy/base'].map((folder) => relative(overlay, join(checkout, folder))),
      images: [{ name: 'rolealerts', newTag: 'earlier' }],
      // As in deploy/alerts-service.
      patches: [
        {
          target: { kind: 'Deployment' },
          patch: stringify([
            { op: 'add', path: '/spec/template/spec/containers/0/args/-', value: '--allow-private-endpoints' },
          ]),
        },
      ],
    };
    writeFileSync(join(overlay, 'kustomization.yaml'), stringify(earlier));
    await cluster.kubectl(['apply', '--server-side', '--kustomize', overlay]);
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

    for (const folder of ['crds', 'deploy/alerts-service']) {
      await apply(cluster, folder);
      const { exitCode, stdout, stderr } = await cluster.tryKubectl(['diff', '--server-side', '--kustomize', folder]);
      expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    }
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
    expect(after.sinceMs - startMs).toBeLessThan(releaseMs);
    await twoReady();
  });

  test.each<[string, (container: ContainerCgroup) => unknown, string]>([
    ['was killed', ({ pids: [pid = 0] }) => process.kill(pid, 'SIGKILL'), 'Error'],
    ['was ended for want of memory', exhaustMemory, 'OOMKilled'],
  ])('the next leader corrects a drift after the process of the leader %s', async (what, end, reason) => {
    const before = await leader(cluster);
    const leading = (pods: readonly Pod[]) => pods.find(({ metadata }) => metadata.name === before.pod) as Pod;
    const container = cgroupOf(cluster, leading(await twoReady()));
    await deactivateAlert(cluster);
    const ended = until(() => !existsSync(`/proc/${container.pids[0]}`), 'the leader has ended').then(Date.now);
    await end(container);
    const startMs = await ended;
    const after = await nextLeader(cluster, before.identity);
    const correctedMs = await alertIsActive(cluster);
    console.log(`${what}: next leader ${after.sinceMs - startMs} ms, corrected ${correctedMs - startMs} ms`);
    expect(after.sinceMs - startMs).toBeLessThan(failOverMs);
    const { terminated } = leading(await twoReady()).status.containerStatuses?.[0].lastState ?? {};
    expect(terminated).toMatchObject({ reason, exitCode: 137 });
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

  // The last one: the scheduler and the controllers wait up to half a minute before they ask a server again that was away.
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
});
