// The operator on a control plane of its own: ClusterRoleAlertConnections, and what it does while the API server, etcd or their resource is
// away.
import { afterAll, expect, test } from 'vitest';

import { openKubeRequests } from '../support/rigs/kube-requests.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';
import { installOperator } from '../support/servers/test-control-plane.ts';

const scope = 'subscriptions/cluster-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: true } }] };
const connectionRef = { kind: 'ClusterRoleAlertConnection', name: 'prod' };
const active = { scope, interval: '5s', alerts: [{ name: alert, state: 'Active' }] };
const everything = { scopes: ['Subscriptions'], maxMode: 'Enforce', deactivation: 'Allow', unlisted: 'Allow' };
const collection = '/apis/rolealerts.dev/v1alpha1/clusterrolealertconnections';

describeWithOwnControlPlane('the operator', (controlPlane) => {
  const api = openKubeRequests(controlPlane);
  afterAll(() => api.stop());
  const send = async (...[method, path, body]: Parameters<typeof api.send>) => {
    const answer = await api.send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body?.message}`);
    return answer.body;
  };
  const label = (rig: OperatorRig) =>
    send('PATCH', `/api/v1/namespaces/${rig.namespace}`, { metadata: { labels: { team: 'a' } } });
  const create = (rig: OperatorRig) =>
    send('POST', collection, {
      apiVersion: 'rolealerts.dev/v1alpha1',
      kind: 'ClusterRoleAlertConnection',
      metadata: { name: 'prod' },
      spec: {
        endpoint: { baseURL: rig.proxy.url },
        auth: { tokenSecretRef: { name: 'credentials', key: 'token' } },
        deactivation: 'Allow',
        access: [{ namespaceSelector: { matchLabels: { team: 'a' } }, ...everything }],
      },
    });

  test('misses nothing while the API server is away, nor after etcd was killed', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createPolicy('active', active);
    await rig.policyIs('active', 'Ready', 'True/Succeeded');
    await controlPlane.stopApiServer();
    // Reconciling continues without the API server: the policies are in memory.
    await rig.turn(scope, alert, false);
    await rig.flagBecomes(scope, alert, true);
    await controlPlane.startApiServer();
    await eventually('the correction in the history', () => rig.policy('active').status.history?.[0]);
    const edit = (interval: string) =>
      eventually('an edit through', async () =>
        (await rig.editPolicy('active', { interval }).catch(() => false)) === undefined ? true : undefined,
      );
    await edit('6s');
    await rig.policyIs('active', 'Ready', 'True/Succeeded');
    await controlPlane.restartEtcd();
    await edit('7s');
    await rig.policyIs('active', 'Ready', 'True/Succeeded');
  });

  test('serves cluster connections once their CRD is there, and until then everything else', async ({
    onTestFinished,
  }) => {
    await controlPlane.kubectl(['delete', 'crd', 'clusterrolealertconnections.rolealerts.dev']);
    const list = () => controlPlane.tryKubectl(['get', '--raw', collection]);
    await eventually('no such resource', async () => ((await list()).exitCode === 0 ? undefined : true));
    const rig = await startRig(controlPlane, { onTestFinished, scopes, isStarted: false });
    await rig.startOperator({ clusterResourceNamespace: rig.namespace });
    await rig.createConnection();
    await rig.createPolicy('active', active);
    await rig.policyIs('active', 'Ready', 'True/Succeeded');
    expect(rig.lines.filter((line) => line.includes('resource not available'))).toHaveLength(1);
    await rig.createPolicy('owners', { ...active, connectionRef });
    await rig.policyIs('owners', 'Stalled', 'True/ConnectionNotFound');
    await installOperator(controlPlane);
    await label(rig);
    await create(rig);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
  });
});
