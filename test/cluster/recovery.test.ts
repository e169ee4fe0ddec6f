// The operator on a control plane of its own: ClusterRoleAlertConnections, and what it does while the API server, etcd or their resource is
// away.
import { afterAll, expect, test } from 'vitest';

import { tomorrow } from '../support/builders/tomorrow.ts';
import { openKubeRequests } from '../support/rigs/kube-requests.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';
import { installOperator } from '../support/servers/test-control-plane.ts';

const scope = 'subscriptions/cluster-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: true } }] };
const connectionRef = { kind: 'ClusterRoleAlertConnection', name: 'prod' };
const dismissal = { reason: 'tracked in SEC-1182', maxIncidents: 9, until: tomorrow() };
const quiet = { connectionRef, scope, interval: '5s', alerts: [{ name: alert, state: 'Inactive', dismissal }] };
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
  const label = (rig: OperatorRig, team: string | null) =>
    send('PATCH', `/api/v1/namespaces/${rig.namespace}`, { metadata: { labels: { team } } });
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
    await rig.createPolicy('active', { scope, interval: '5s', alerts: [{ name: alert, state: 'Active' }] });
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

  test('serves a namespace through a cluster connection for as long as its labels match an entry', async ({
    onTestFinished,
  }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes, isStarted: false });
    await rig.startOperator({ clusterResourceNamespace: rig.namespace });
    await create(rig);
    await rig.createPolicy('owners', quiet);
    await rig.policyIs('owners', 'Stalled', 'True/AccessDenied');
    expect(rig.proxy.requests).toEqual([]);
    await label(rig, 'a');
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(false);
    await eventually('the counts of the connection', async () => {
      const { status } = (await send('GET', `${collection}/prod`)) ?? {};
      const counts = typeof status === 'object' ? status : {};
      return counts['namespaces'] === 1 && counts['dismissalCount'] === 1 ? true : undefined;
    });
    await label(rig, null);
    await rig.flagBecomes(scope, alert, true);
    await rig.policyIs('owners', 'Stalled', 'True/AccessDenied');
    // Events about it are in the namespace default.
    await send('PATCH', `${collection}/prod`, { spec: { auth: { tokenSecretRef: { name: 'missing' } } } });
    await label(rig, 'a');
    const events = await eventually('the event about the connection', async () => {
      const about = ['--namespace', 'default', '--for', 'clusterrolealertconnection/prod'];
      const text = await controlPlane.kubectl(['events', ...about]);
      return text.includes('SecretNotFound') ? text : undefined;
    });
    expect(events).toContain(`Secret ${rig.namespace}/missing, key token`);
  });

  test('serves cluster connections once their CRD is there, and until then everything else', async ({
    onTestFinished,
  }) => {
    // The connection of the test before may still have a dismissal, and no operator runs that could end it.
    await send('PATCH', `${collection}/prod`, { metadata: { finalizers: null } });
    await controlPlane.kubectl(['delete', 'crd', 'clusterrolealertconnections.rolealerts.dev']);
    const list = () => controlPlane.tryKubectl(['get', '--raw', collection]);
    await eventually('no such resource', async () => ((await list()).exitCode === 0 ? undefined : true));
    const rig = await startRig(controlPlane, { onTestFinished, scopes, isStarted: false });
    await rig.startOperator({ clusterResourceNamespace: rig.namespace });
    await rig.createConnection();
    await rig.createPolicy('active', { scope, alerts: [{ name: alert, state: 'Active' }] });
    await rig.policyIs('active', 'Ready', 'True/Succeeded');
    expect(rig.lines.filter((line) => line.includes('resource not available'))).toHaveLength(1);
    await rig.createPolicy('owners', { ...quiet, alerts: [{ name: alert, state: 'Active' }] });
    await rig.policyIs('owners', 'Stalled', 'True/ConnectionNotFound');
    await installOperator(controlPlane);
    await label(rig, 'a');
    await create(rig);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
  });
});
