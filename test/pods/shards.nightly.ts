// Two operators that share the connections by label, as deploy/README.md says under *Shards*: each serves its own, and none serves another's.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { describeWithPods } from '../support/pods/describe-pods.ts';
import {
  alertIsActive,
  apply,
  connectAlertsService,
  deactivateAlert,
  inService,
  operatorNamespace,
  rolledOut,
  serviceNamespace,
} from '../support/pods/pods.ts';
import { until } from '../support/rigs/until.ts';

const root = new URL('../../', import.meta.url).pathname;
const shardNamespace = 'rolealerts-shard-a';
const shardScope = `clusters/this/namespaces/${shardNamespace}`;
/** The name of the connection and its policy that have the label. */
const labelled = 'shard-a';
const argument = (value: string) => ({ op: 'add', path: '/spec/template/spec/containers/0/args/-', value });

/** What the page says to add to the operator without a label. */
const rest = {
  resources: ['deploy/alerts-service'],
  patches: [
    {
      target: { kind: 'Deployment', name: 'rolealerts' },
      patch: stringify([
        argument('--connection-selector=rolealerts.dev/shard!=a'),
        argument('--leader-election-id=rolealerts-rest'),
      ]),
    },
    {
      target: { kind: 'Role', name: 'rolealerts-leader-election' },
      patch: stringify([{ op: 'replace', path: '/rules/1/resourceNames', value: ['rolealerts-rest'] }]),
    },
  ],
};

/** The service has a private address. */
const shard = {
  resources: ['deploy/shard'],
  patches: [{ target: { kind: 'Deployment' }, patch: stringify([argument('--allow-private-endpoints')]) }],
};

describeWithPods('shards as pods', (cluster) => {
  const applyOverlay = async (name: string, overlay: { readonly resources: readonly string[] }) => {
    const folder = join(cluster.scratchDirectory, name);
    mkdirSync(folder);
    const resources = overlay.resources.map((path) => relative(folder, join(root, path)));
    writeFileSync(join(folder, 'kustomization.yaml'), stringify({ ...overlay, resources }));
    await cluster.kubectl(['apply', '--server-side', '--kustomize', folder]);
  };
  const scale = async (namespace: string, replicas: number) => {
    const inNamespace = ['--namespace', namespace];
    await cluster.kubectl(['scale', 'deployment/rolealerts', ...inNamespace, `--replicas=${replicas}`]);
    if (replicas > 0) return rolledOut(cluster, namespace, 'rolealerts');
    const pods = ['get', 'pods', ...inNamespace, '--selector=app.kubernetes.io/component=operator', '--output=name'];
    await until(async () => (await cluster.kubectl(pods)) === '', 'the operator has ended');
    return undefined;
  };
  const observed = async (policy: string) => {
    const { metadata, status } = await cluster.kubectlJson<{
      metadata: { generation: number };
      status?: { conditions?: readonly { type: string; status: string; observedGeneration: number }[] };
    }>(['get', 'rolealertpolicy', policy, ...inService]);
    return status?.conditions?.some(
      ({ type, status: is, observedGeneration }) =>
        type === 'Ready' && is === 'True' && observedGeneration === metadata.generation,
    );
  };
  const ready = (policy: string) => until(async () => (await observed(policy)) === true, `${policy} is ready`);
  /** An edit that its operator has to see. */
  const edit = async (policy: string, interval: string) => {
    const patch = JSON.stringify({ spec: { interval } });
    await cluster.kubectl(['patch', 'rolealertpolicy', policy, ...inService, '--type=merge', `--patch=${patch}`]);
  };
  const labelledObjects = async () => {
    const namespace = serviceNamespace;
    const connection = await cluster.kubectlJson<{ spec: object }>(['get', 'rac', 'this-cluster', ...inService]);
    const metadata = { name: labelled, namespace };
    return [
      {
        apiVersion: 'rolealerts.dev/v1alpha1',
        kind: 'RoleAlertConnection',
        metadata: { ...metadata, labels: { 'rolealerts.dev/shard': 'a' } },
        spec: connection.spec,
      },
      {
        apiVersion: 'rolealerts.dev/v1alpha1',
        kind: 'RoleAlertPolicy',
        metadata,
        spec: {
          connectionRef: { name: labelled },
          scope: shardScope,
          interval: '1m',
          alerts: [{ name: 'TooManyOwnersAssignedToResource', state: 'Active' }],
        },
      },
    ];
  };
  const logOf = (namespace: string) =>
    cluster.kubectl(['logs', '--namespace', namespace, '--selector=app.kubernetes.io/component=operator', '--tail=-1']);

  test('both are installed, and each serves its connections', async () => {
    await apply(cluster, 'crds');
    await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=5m', 'crd', '--all']);
    await applyOverlay('shard', shard);
    await applyOverlay('rest', rest);
    await rolledOut(cluster, shardNamespace, 'rolealerts');
    await connectAlertsService(cluster);
    const list = { apiVersion: 'v1', kind: 'List', items: await labelledObjects() };
    await cluster.kubectl(['apply', '--server-side', '--filename', '-'], { input: JSON.stringify(list) });
    await ready(labelled);
    await deactivateAlert(cluster, shardScope);
    await edit(labelled, '2m');
    await alertIsActive(cluster, shardScope);
    await expect.poll(() => observed(labelled)).toBe(true);
  });

  test('none serves the connection of another, also while that one is away', async () => {
    await scale(shardNamespace, 0);
    await edit(labelled, '3m');
    await deactivateAlert(cluster);
    await edit('cluster-owners', '2m');
    await alertIsActive(cluster);
    await ready('cluster-owners');
    expect(await observed(labelled)).toBe(false);
    expect(await logOf(operatorNamespace)).not.toContain(`"name":"${labelled}"`);

    await scale(shardNamespace, 2);
    await ready(labelled);
    await scale(operatorNamespace, 0);
    await edit('cluster-owners', '3m');
    await edit(labelled, '4m');
    await ready(labelled);
    expect(await observed('cluster-owners')).toBe(false);
    const log = await logOf(shardNamespace);
    expect(log).toContain(`"name":"${labelled}"`);
    expect(log).not.toMatch(/"name":"(this-cluster|cluster-owners)"/);
  });

  test('a connection moves to another shard with its label', async () => {
    await cluster.kubectl(['label', 'rac', 'this-cluster', ...inService, 'rolealerts.dev/shard=a']);
    await expect.poll(() => observed('cluster-owners')).toBe(true);
  });
});
