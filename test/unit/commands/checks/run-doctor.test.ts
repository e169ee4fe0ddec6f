// What `doctor` finds in a cluster: each failure names the object and its fix.
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import type { DoctorPlace } from '../../../../src/commands/checks/check.ts';
import { runDoctor } from '../../../../src/commands/checks/doctor.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { formatTimestamp } from '../../../../src/lib/timestamp.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import type { KubeRequest, KubeTransport } from '../../../../src/operator/kube/transport.ts';
import { clusterConnection, connection } from '../../../support/builders/objects.ts';
import { type FakeAnswers, fakeApiServer } from '../../../support/rigs/fake-api-server.ts';

const root = '/apis/rolealerts.dev/v1alpha1';
const crdRoot = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const plurals = ['rolealertpolicies', 'rolealertconnections', 'clusterrolealertconnections'];
const now = () => new Date().toISOString();
const crds = Object.fromEntries(
  plurals.map((plural) => [
    `${crdRoot}/${plural}.rolealerts.dev`,
    parse(readFileSync(new URL(`../../../../crds/rolealerts.dev_${plural}.yaml`, import.meta.url), 'utf8')) as object,
  ]),
);

const deployment = {
  metadata: { name: 'rolealerts' },
  spec: {
    replicas: 2,
    template: {
      spec: {
        serviceAccountName: 'rolealerts',
        containers: [{ image: 'registry/rolealerts:0.1.0', args: ['controller'] }],
      },
    },
  },
  status: { readyReplicas: 2 },
};
const deployments = '/apis/apps/v1/namespaces/rolealerts-system/deployments';
const everyDeployment = '/apis/apps/v1/deployments';
const leases = '/apis/coordination.k8s.io/v1/namespaces/rolealerts-system/leases/rolealerts';
const leaseOf = (renewTime: string) => ({
  spec: { holderIdentity: 'rolealerts-1', renewTime, leaseDurationSeconds: 15 },
});

/** `refuse`: whether the user or the ServiceAccount lacks a permission. */
const review = (isRefused: (attributes: Record<string, string>) => boolean) => (request: KubeRequest) => {
  const { spec } = JSON.parse(request.body ?? '') as { spec: { resourceAttributes: Record<string, string> } };
  return { status: { allowed: !isRefused(spec.resourceAttributes) } };
};
const reviews = '/apis/authorization.k8s.io/v1';

const healthy: FakeAnswers = {
  ...crds,
  [deployments]: [deployment],
  [everyDeployment]: [deployment],
  [leases]: leaseOf(now()),
  [`${reviews}/subjectaccessreviews`]: review(() => false),
  [`${reviews}/selfsubjectaccessreviews`]: review(() => false),
  [`${root}/rolealertpolicies`]: [],
  [`${root}/rolealertconnections`]: [],
  [`${root}/clusterrolealertconnections`]: [],
};

async function doctor(answers: FakeAnswers = {}, change: Partial<KubeTransport> = {}) {
  const transport: KubeTransport = {
    ...fakeApiServer({ ...healthy, ...answers }),
    send: async () => ({ status: 200, headers: { date: now() }, body: '{"gitVersion":"v1.36.3"}' }),
    ...change,
  };
  const { signal } = new AbortController();
  const place: DoctorPlace = {
    transport,
    namespace: undefined,
    operatorNamespace: 'rolealerts-system',
    clock: systemClock,
    signal,
  };
  return runDoctor({ place, proxies: undefined, version: '0.1.0' });
}

const named = (results: Awaited<ReturnType<typeof doctor>>, check: string) =>
  results.find((each) => each.check === check);

test('without an API server it is the only finding', async () => {
  const send = () => Promise.reject(new KubeError('kube-unreachable', 'The API server did not answer.'));
  expect(await doctor({}, { send })).toEqual([
    { subject: 'cluster', check: 'api-server', state: 'Failed', message: 'The API server did not answer.' },
  ]);
});

describe('the CRDs', () => {
  const crd = `${crdRoot}/rolealertpolicies.rolealerts.dev`;

  test('fail when one is missing', async () => {
    expect(named(await doctor({ [crd]: 'kube-not-found' }), 'crds')).toMatchObject({
      state: 'Failed',
      message: 'The cluster does not serve rolealerts.dev/v1alpha1 of rolealertpolicies.',
      fix: expect.stringContaining('kubectl apply --server-side -k crds') as string,
    });
  });

  test('fail when the cluster has another schema', async () => {
    const text = JSON.stringify(crds[crd]).replace('"maxLength":512', '"maxLength":513');
    expect(named(await doctor({ [crd]: JSON.parse(text) as object }), 'crds')).toMatchObject({
      state: 'Failed',
      message: 'The cluster has another schema of rolealertpolicies than this program.',
    });
  });

  test('are not compared for a user who may only see that they are served', async () => {
    const refused = Object.fromEntries(Object.keys(crds).map((path) => [path, 'kube-denied' as const]));
    const served = { [root]: { resources: plurals.map((name) => ({ name })) } };
    expect(named(await doctor({ ...refused, ...served }), 'crds')).toMatchObject({ state: 'NotChecked' });
    const lacking = { [root]: { resources: [{ name: 'rolealertpolicies' }] } };
    expect(named(await doctor({ ...refused, ...lacking }), 'crds')).toMatchObject({ state: 'Failed' });
  });
});

describe('the operator', () => {
  test('is a warning when its image has another version', async () => {
    const text = JSON.stringify(deployment).replace(':0.1.0', ':0.0.9');
    expect(named(await doctor({ [deployments]: [JSON.parse(text) as object] }), 'operator')).toMatchObject({
      state: 'Warning',
      message: expect.stringContaining('This program has version 0.1.0') as string,
    });
  });

  test('fails when no replica is ready', async () => {
    const stopped = { ...deployment, status: {} };
    expect(named(await doctor({ [deployments]: [stopped] }), 'operator')?.state).toBe('Failed');
  });

  test.each([
    ['has no holder', { spec: { holderIdentity: '' } }, /^No replica holds Lease/],
    ['was renewed an hour ago', leaseOf(new Date(Date.now() - 3_600_000).toISOString()), /renewed it 36\d\d s ago/],
    ['does not exist', 'kube-not-found', /^There is no Lease/],
  ] as const)('fails when its Lease %s', async (_, lease, message) => {
    const result = named(await doctor({ [leases]: lease }), 'leader');
    expect(result).toMatchObject({ state: 'Failed', fix: expect.stringContaining('log of the operator') as string });
    expect(result?.message).toMatch(message);
  });

  test('fails when its ServiceAccount lacks a permission', async () => {
    const refuse = review(({ resource }) => resource === 'secrets');
    expect(named(await doctor({ [`${reviews}/subjectaccessreviews`]: refuse }), 'operator-permissions')).toMatchObject({
      state: 'Failed',
      message: 'ServiceAccount rolealerts-system/rolealerts may not get secrets.',
    });
  });

  test('lacks nothing when it has the permissions in the namespaces that it watches', async () => {
    const containers = [
      { image: 'registry/rolealerts:0.1.0', args: ['controller', '--watch-namespaces=team-a,team-b'] },
    ];
    const watching = { ...deployment, spec: { template: { spec: { serviceAccountName: 'rolealerts', containers } } } };
    const refusing = (isRefused: (attributes: Record<string, string>) => boolean) =>
      doctor({ [deployments]: [watching], [`${reviews}/subjectaccessreviews`]: review(isRefused) });
    const across = await refusing(({ namespace }) => namespace === undefined);
    expect(named(across, 'operator-permissions')?.state).toBe('Passed');
    const one = await refusing(({ resource, namespace }) => resource === 'secrets' && namespace !== 'team-a');
    expect(named(one, 'operator-permissions')?.message).toBe(
      'ServiceAccount rolealerts-system/rolealerts may not get secrets in team-b.',
    );
  });

  test('is not checked for a user who may not ask for the permissions of others', async () => {
    const result = named(await doctor({ [`${reviews}/subjectaccessreviews`]: 'kube-denied' }), 'operator-permissions');
    expect(result).toMatchObject({ state: 'NotChecked', fix: 'Let a cluster admin run it.' });
  });
});

describe('your permissions', () => {
  const own = `${reviews}/selfsubjectaccessreviews`;

  test('pass for a viewer, and name the roles for the rest', async () => {
    const refuse = review(({ verb, resource }) => verb === 'patch' || resource === 'clusterrolealertconnections');
    expect(named(await doctor({ [own]: refuse }), 'your-permissions')).toMatchObject({
      state: 'Passed',
      message:
        'You may read policies, read connections in all namespaces. You may not change policies (rolealerts-edit), read ClusterRoleAlertConnections (rolealerts-platform-admin).',
    });
  });
});

describe('a connection', () => {
  /** No check of its URL leaves this machine. */
  const unreachable = connection({ endpoint: { ...connection().spec.endpoint, baseURL: 'none' } });
  const stored = { ...unreachable, metadata: { ...unreachable.metadata, labels: { shard: 'b' } } };
  const shardIn = (
    namespace: string,
    container: { readonly args?: readonly string[]; readonly env?: readonly object[] },
  ) => {
    const { args = [], ...more } = container;
    const containers = [{ image: 'registry/rolealerts:0.1.0', args: ['controller', ...args], ...more }];
    return { metadata: { name: 'rolealerts', namespace }, spec: { template: { spec: { containers } } } };
  };
  const env = [{ name: 'ROLEALERTS_CONNECTION_SELECTOR', value: 'shard notin (a)' }];
  const doctorOf = async (shards: FakeAnswers[string]) =>
    named(await doctor({ [`${root}/rolealertconnections`]: [stored], [everyDeployment]: shards }), 'shard');

  test('passes when one operator selects it, by a flag or a variable', async () => {
    const shards = [shardIn('base', { env }), shardIn('a', { args: ['--connection-selector', 'shard=a'] })];
    expect(await doctorOf(shards)).toMatchObject({ subject: 'connection team/prod', state: 'Passed' });
  });

  test('is not checked for a user who may not list Deployments in all namespaces', async () => {
    const results = await doctor({ [`${root}/rolealertconnections`]: [stored], [everyDeployment]: 'kube-denied' });
    expect(named(results, 'shards')).toMatchObject({ subject: 'cluster', state: 'NotChecked' });
    expect(named(results, 'shard')).toBeUndefined();
  });

  test('that no policy uses is Pending for good, which is no failure', async () => {
    const answers = { [`${root}/rolealertconnections`]: [stored] };
    expect(named(await doctor(answers), 'ready')).toMatchObject({
      state: 'Warning',
      message: 'The operator reports Pending: Waiting for the operator.',
    });
  });

  test('names the namespace that has used the most deactivations of the hour', async () => {
    const sentFor = (name: string, minutesAgo: number) => ({
      at: formatTimestamp(Date.now() - minutesAgo * 60_000),
      namespace: name,
      scope: 'subscriptions/a',
      alert: `Alert-${minutesAgo}`,
    });
    const recentDeactivations = [sentFor('team', 61), sentFor('team', 50), sentFor('guest', 2), sentFor('guest', 1)];
    const ofCluster = clusterConnection({ endpoint: unreachable.spec.endpoint });
    const outcomeAt = async (deactivationsPerHour: number) => {
      const spec = { ...ofCluster.spec, limits: { ...ofCluster.spec.limits, deactivationsPerHour } };
      const used = { ...ofCluster, spec, status: { ...ofCluster.status, recentDeactivations } };
      return named(await doctor({ [`${root}/clusterrolealertconnections`]: [used] }), 'deactivations');
    };
    expect(await outcomeAt(6)).toMatchObject({
      state: 'Passed',
      message: 'It sent 3 of the 6 deactivations that it may send within an hour, 2 of them for namespace guest.',
    });
    expect(await outcomeAt(5)).toMatchObject({ state: 'Warning' });
  });
});
