// The custom resources as a user sees them with kubectl: columns, selectors, defaults, and a status that is apart from
// the spec.
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { AlertStatus, RoleAlertPolicyStatus } from '../../src/policy/generated/role-alert-policy.ts';
import {
  groupVersion,
  pendingConnectionStatus,
  pendingStatus,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from '../../src/policy/resources.ts';
import { tomorrow } from '../support/builders/tomorrow.ts';
import { describeText, getRow, type PrintedObject, readColumns } from '../support/checks/kubectl-text.ts';
import { openKubeRequests } from '../support/rigs/kube-requests.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const transition = '2026-11-21T08:00:00Z';

const status: RoleAlertPolicyStatus = {
  observedGeneration: 1,
  lastHandledReconcileAt: '1',
  effective: { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' },
  conditions: [
    condition('Ready', 'True', 'Succeeded', 'Every alert is as declared.'),
    condition('InSync', 'True', 'InSync', ''),
  ],
  summary: {
    declared: 3,
    inSync: 2,
    drifted: 1,
    missing: 0,
    dismissed: 1,
    incidents: 7,
    highIncidents: 4,
    inSyncText: '2/3',
  },
  alerts: [alert('TooManyOwnersAssignedToResource')],
  history: [
    { at: transition, alert: 'TooManyOwnersAssignedToResource', direction: 'Activated', reason: 'Drift', count: 2 },
  ],
};

function condition(type: string, state: 'True' | 'False' | 'Unknown', reason: string, message: string) {
  return { type, status: state, reason, message, lastTransitionTime: transition, observedGeneration: 1 };
}

function alert(name: string): AlertStatus {
  const incidents = {
    total: 7,
    byType: [{ type: 'A', count: 7 }],
    ids: ['6f1c'],
    truncated: true,
  };
  const seen = { want: 'Active', live: 'Active', state: 'Firing', result: 'InSync', scanning: 'Enabled' } as const;
  return { name, ...seen, severity: 'High', verifiedAt: transition, incidents };
}

describeWithControlPlane('kubectl with the custom resources', (controlPlane) => {
  const api = openKubeRequests(controlPlane);
  let namespace: string;
  const kubectl = (...args: string[]) => controlPlane.kubectl([...args, '--namespace', namespace]);
  const path = (plural: string, name: string) => `/apis/${groupVersion}/namespaces/${namespace}/${plural}/${name}`;
  const policy = (name: string, spec: object) => ({
    apiVersion: groupVersion,
    kind: 'RoleAlertPolicy',
    metadata: { name },
    spec: { connectionRef: { name: 'prod' }, scope: 'subscriptions/a', unlisted: { state: 'Active' }, ...spec },
  });
  const connection = {
    apiVersion: groupVersion,
    kind: 'RoleAlertConnection',
    metadata: { name: 'prod' },
    spec: {
      endpoint: { baseURL: 'https://management.example.net' },
      auth: { tokenSecretRef: { name: 'token', key: 'token' } },
    },
  };
  const create = (object: object) =>
    controlPlane.kubectl(['create', '--namespace', namespace, '-f', '-'], { input: JSON.stringify(object) });
  const writeStatus = async (plural: string, name: string, next: object) => {
    const { body } = await api.send('GET', path(plural, name));
    return api.send('PUT', `${path(plural, name)}/status`, { ...body, status: next });
  };

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    await create(policy('owners', {}));
    await create(policy('observed', { scope: 'subscriptions/b', connectionRef: { name: 'stage' }, mode: 'Observe' }));
    await create(connection);
    await writeStatus('rolealertpolicies', 'owners', status);
  });
  afterAll(() => api.stop());

  test('defaults are filled in, so that the operator and every reader see them', async () => {
    const made = await controlPlane.kubectlJson<RoleAlertPolicy>(['get', 'rap', 'observed', '--namespace', namespace]);
    expect(made.spec).toEqual({
      connectionRef: { kind: 'RoleAlertConnection', name: 'stage' },
      scope: 'subscriptions/b',
      mode: 'Observe',
      suspend: false,
      unlisted: { state: 'Active', minSeverity: 'Low' },
      damping: { maxDeactivations: 3, window: '6h' },
      incidents: { limit: 5 },
    });
    const prod = await controlPlane.kubectlJson<RoleAlertConnection>(['get', 'rac', 'prod', '--namespace', namespace]);
    expect(prod.spec).toMatchObject({
      endpoint: { providerNamespace: 'Vendor.Authorization', apiVersion: '2022-08-01-preview' },
      deactivation: 'Deny',
      limits: {
        requestsPerHour: 7200,
        burst: 100,
        maxConcurrent: 4,
        requestTimeout: '30s',
        minInterval: '1m',
        maxPages: 100,
        maxPageBytes: 33_554_432,
        deactivationsPerHour: 10,
        maxDismissal: '720h',
      },
    });
  });

  test('items of lists get no defaults, so that GitOps tools see no difference', async () => {
    const alerts = [
      { name: 'A', state: 'Inactive', dismissal: { reason: 'known to SEC-1', maxIncidents: 1, until: tomorrow() } },
    ];
    await create(policy('listed', { alerts, scope: 'subscriptions/c' }));
    const made = await controlPlane.kubectlJson<RoleAlertPolicy>(['get', 'rap', 'listed', '--namespace', namespace]);
    expect(made.spec.alerts).toEqual(alerts);
  });

  test('a status that was never written does not read as current', async () => {
    const never = await controlPlane.kubectlJson<RoleAlertPolicy>(['get', 'rap', 'observed', '--namespace', namespace]);
    expect(never.status).toEqual(pendingStatus);
    const prod = await controlPlane.kubectlJson<RoleAlertConnection>(['get', 'rac', 'prod', '--namespace', namespace]);
    expect(prod.status).toEqual(pendingConnectionStatus);
    expect(await kubectl('get', 'rap', 'observed', '--no-headers')).toMatch(/^observed +Unknown +Pending +Observe/);
    expect(await kubectl('get', 'rac', 'prod', '--no-headers')).toMatch(/^prod +Unknown +Pending +Deny/);
  });

  test('the columns of a policy are the documented ones, more of them with -o wide', async () => {
    const lines = (await kubectl('get', 'rolealertpolicies', 'owners')).split('\n');
    expect(lines[0]?.split(/ {2,}/)).toEqual([
      'NAME',
      'READY',
      'REASON',
      'MODE',
      'IN-SYNC',
      'INCIDENTS',
      'HIGH',
      'AGE',
    ]);
    expect(lines[1]?.split(/ {2,}/).slice(0, 7)).toEqual(['owners', 'True', 'Succeeded', 'Enforce', '2/3', '7', '4']);
    const wide = (await kubectl('get', 'rap', 'owners', '-o', 'wide')).split('\n');
    expect(wide[0]?.trim().split(/ {2,}/).slice(8)).toEqual(['SCOPE', 'CONNECTION', 'SUSPENDED-UNTIL']);
    expect(wide[1]?.trim().split(/ {2,}/).slice(8)).toEqual(['subscriptions/a', 'prod']);
  });

  test('the texts that other tests read in place of kubectl are those of kubectl', async () => {
    const object = await controlPlane.kubectlJson<PrintedObject>(['get', 'rap', 'owners', '--namespace', namespace]);
    const { rolealertpolicies } = await readColumns();
    const cells = (row: string) => row.trim().split(/ {2,}/).slice(0, -1);
    const rows = (await controlPlane.kubectl(['get', 'rap', '-A', '--no-headers'])).split('\n').map(cells);
    expect(rows).toContainEqual(cells(getRow(rolealertpolicies, object, Date.now())));
    const lines = (text: string) => text.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
    const described = new Set(lines(await kubectl('describe', 'rap', 'owners')));
    expect(lines(describeText(object)).filter((line) => !described.has(line))).toEqual([]);
  });

  test('the columns of a connection show whether it works and how much it is used', async () => {
    const conditions = [
      condition('Ready', 'True', 'Connected', 'The service answers.'),
      condition('Capacity', 'True', 'BudgetSufficient', ''),
    ];
    const entry = { scope: 'subscriptions/a', policy: 'team/owners', since: '2026-06-01T00:00:00Z' };
    const dismissals = [
      { ...entry, alert: 'A', until: '2026-12-24T00:00:00Z' },
      { ...entry, alert: 'B', incidents: 2 },
    ];
    const counts = { policies: 42, scopes: 17, predictedRequestsPerHour: 68, dismissalCount: 2, dismissals };
    const answer = await writeStatus('rolealertconnections', 'prod', { observedGeneration: 1, conditions, ...counts });
    expect(answer).toMatchObject({ status: 200 });
    const [heading, row] = (await kubectl('get', 'rac', '-o', 'wide'))
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    expect(heading?.join(' ')).toBe(
      'NAME READY REASON DEACTIVATION POLICIES SCOPES DISMISSALS NEXT-END AGE URL NEEDED/H CAPACITY',
    );
    expect(row?.filter((_, index) => index !== 8)).toEqual([
      'prod',
      'True',
      'Connected',
      'Deny',
      '42',
      '17',
      '2',
      '2026-12-24T00:00:00Z',
      'https://management.example.net',
      '68',
      'True',
    ]);
    await writeStatus('rolealertconnections', 'prod', { observedGeneration: 1, conditions, dismissalCount: 0 });
    expect(await kubectl('get', 'rac', 'prod', '--no-headers')).toMatch(/^prod +True +Connected +Deny +0 +\S+\s*$/);
  });

  test.each([
    ['spec.scope=subscriptions/a', 'owners'],
    ['spec.connectionRef.name=stage', 'observed'],
    ['spec.mode=Observe', 'observed'],
    ['spec.scope=subscriptions/b,spec.mode=Enforce', undefined],
  ])('--field-selector %s selects %s', async (selector, name) => {
    const found = await kubectl('get', 'rap', '-o', 'name', '--field-selector', selector);
    expect(found.trim()).toBe(name === undefined ? '' : `rolealertpolicy.rolealerts.dev/${name}`);
  });
});
