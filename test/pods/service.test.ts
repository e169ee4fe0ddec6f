// The alerts service of deploy/alerts-service as a pod: its scanner, an end for want of memory under load, and a client without a Secret.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { startAlertsService } from '../../src/service/server.ts';
import { serviceDefaults } from '../../src/service/service-options.ts';
import { describeWithPods } from '../support/pods/describe-pods.ts';
import {
  alertIsActive,
  apply,
  cgroupOf,
  deactivateAlert,
  exhaustMemory,
  inService,
  isReady,
  patchCount,
  type Pod,
  program,
  serviceNamespace,
  trustAlertsService,
} from '../support/pods/pods.ts';
import { loadClient, loadedAlerts, loadService } from '../support/pods/service-load.ts';
import { until } from '../support/rigs/until.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';
import { eventually } from '../support/servers/control-plane.ts';

const mebibyte = 2 ** 20;
const root = new URL('../../', import.meta.url).pathname;
const owned = ['owned-a', 'owned-b', 'owned-c', 'owned-d'];
const scopeOf = (namespace: string) => `clusters/this/namespaces/${namespace}`;

/** A namespace with five owners. */
const ownedNamespace = (name: string) => [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'owners', namespace: name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
    subjects: [1, 2, 3, 4, 5].map((each) => ({
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'User',
      name: `owner-${each}`,
    })),
  },
];

/** What deploy/reference/alerts-service.md says of a client that a cluster vouches for, with the token and the CA of the pod itself. */
const ownAccount = '/var/run/secrets/kubernetes.io/serviceaccount';
const registrations = {
  clients: [
    { id: 'operator', secretFile: '../operator/client-secret', scopes: ['user_impersonation'] },
    loadClient,
    {
      id: 'cluster',
      scopes: ['user_impersonation'],
      federated: [
        {
          issuer: 'https://kubernetes.default.svc',
          subject: `system:serviceaccount:${serviceNamespace}:alerts`,
          audience: 'api://AzureADTokenExchange',
          jwksURI: 'https://10.0.0.1/openid/v1/jwks',
          caFile: `${ownAccount}/ca.crt`,
          tokenFile: `${ownAccount}/token`,
        },
      ],
    },
  ],
};

interface AuditRecord {
  readonly action: string;
  readonly actor: string;
  readonly scope: string;
  readonly alert: string;
}

/** The audit trail in a copy of the data file. */
async function auditOf(dataFile: string): Promise<readonly AuditRecord[]> {
  const { auditRetentionMs } = serviceDefaults;
  const admin = { listen: { host: '127.0.0.1', port: 0 } };
  const service = await startAlertsService(serviceOptions({ dataFile, admin, auditRetentionMs }));
  const records: AuditRecord[] = [];
  try {
    for (let target: string | undefined = '/audit?limit=1000'; target !== undefined;) {
      const page = (await (await fetch(new URL(target, service.adminURL))).json()) as {
        readonly records: readonly AuditRecord[];
        readonly next?: string;
      };
      records.push(...page.records);
      target = page.next;
    }
  } finally {
    await service.stop();
  }
  return records;
}

describeWithPods('the alerts service as a pod', (cluster) => {
  const servicePod = async () => {
    const args = ['get', 'pods', ...inService, '--selector=app.kubernetes.io/component=alerts-service'];
    const { items } = await cluster.kubectlJson<{ items: readonly [Pod] }>(args);
    return items[0];
  };
  const applyObjects = async (items: readonly unknown[]) => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await cluster.kubectl(['apply', '--server-side', '--filename', '-'], { input: list });
  };
  /** The audit trail of the service that runs. */
  const audit = async () => {
    const command = ['exec', ...inService, 'deployment/alerts-service', '--', 'node', program, 'serve', 'backup', '-'];
    const args = ['--kubeconfig', cluster.kubeconfigPath, ...command];
    const copy = execFileSync(cluster.kubectlPath, args, { maxBuffer: 2 ** 30, stdio: 'pipe' });
    const dataFile = join(cluster.scratchDirectory, 'backup.db');
    writeFileSync(dataFile, copy);
    return auditOf(dataFile);
  };

  test('the service and its scanner run with their permissions', async () => {
    await apply(cluster, 'crds');
    await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=5m', 'crd', '--all']);
    await applyObjects(owned.flatMap(ownedNamespace));
    await apply(cluster, 'deploy/alerts-service');
    const text = JSON.stringify({ stringData: { 'registrations.yaml': JSON.stringify(registrations) } });
    await cluster.kubectl(['patch', 'secret', 'alerts-service-users', ...inService, `--patch=${text}`]);
    await trustAlertsService(cluster);
    const log = await eventually('a scan', async () => {
      const text = await cluster.kubectl(['logs', ...inService, 'deployment/alerts-service']);
      return text.includes('role assignments scanned') ? text.trim().split('\n') : undefined;
    });
    const records = log.map((line) => JSON.parse(line) as { msg: string });
    expect(records.find(({ msg }) => msg === 'role assignments scanned')).toMatchObject({
      raised: expect.toSatisfy((raised) => raised >= 8),
    });
  });

  test('a service that the kernel ends for want of memory is soon back, and lost no acknowledged update', async () => {
    const before = await servicePod();
    const loaded = loadService(cluster, owned.map(scopeOf));
    const patches = await patchCount(cluster);
    await until(async () => (await patchCount(cluster)) > patches + 200, 'updates');
    const container = cgroupOf(cluster, before);
    const { memoryBytes, limitBytes } = container;
    expect(limitBytes).toBe(512 * mebibyte);
    expect(memoryBytes).toBeLessThan(limitBytes / 2);
    await exhaustMemory(container);
    const startMs = Date.now();
    const after = await eventually('a ready service again', async () => {
      const pod = await servicePod();
      return pod.status.containerStatuses?.[0].restartCount === 1 && isReady(pod) ? pod : undefined;
    });
    const readyMs = Date.now() - startMs;
    expect(after.status.containerStatuses?.[0].lastState.terminated).toMatchObject({
      reason: 'OOMKilled',
      exitCode: 137,
    });

    const written = await loaded;
    expect(written.some(({ unanswered }) => unanswered > 0)).toBe(true);
    const records = await audit();
    const countOf = ({ scope, alert }: { scope: string; alert: string }, action: string) =>
      records.filter(
        (record) =>
          record.action === action && record.scope === scope && record.alert.toLowerCase() === alert.toLowerCase(),
      ).length;
    for (const each of written) {
      // The scanner created it, and leaves alone what others deactivated.
      expect(countOf(each, 'scan')).toBe(1);
      expect(countOf(each, 'update')).toBeGreaterThanOrEqual(each.acknowledged);
      expect(countOf(each, 'update')).toBeLessThanOrEqual(each.acknowledged + each.unanswered);
    }
    const sum = (of: 'acknowledged' | 'unanswered') => written.reduce((total, each) => total + each[of], 0);
    const kept = written.reduce((total, each) => total + countOf(each, 'update'), 0);
    console.log(
      `killed for memory: ready ${readyMs} ms, ${sum('acknowledged')} updates acknowledged, ${sum('unanswered')} without an answer, ` +
        `${kept} stored; memory ${Math.round(memoryBytes / mebibyte)} MiB`,
    );
  });

  test('a connection without a Secret acts as its ServiceAccount, and its policy is corrected', async () => {
    const [scope, alert] = [scopeOf(owned[0] ?? ''), loadedAlerts[0] ?? ''];
    const url = 'https://alerts-service.rolealerts-alerts-service.svc:8443';
    const connectionSpec = {
      endpoint: { baseURL: url, caBundleRef: { kind: 'ConfigMap', name: 'alerts-service-ca', key: 'ca.crt' } },
    };
    const rendered = await cluster.kubectl(['kustomize', join(root, 'deploy/federated')]);
    const objects = parseAllDocuments(rendered).map(
      (document) =>
        document.toJS() as {
          kind: string;
          metadata: object;
          spec: { auth: { federated: object } };
        },
    );
    const items = objects.map((object) => {
      const placed = { ...object, metadata: { ...object.metadata, namespace: serviceNamespace } };
      if (object.kind !== 'RoleAlertConnection') return placed;
      const { federated } = object.spec.auth;
      const replaced = { tokenURL: `${url}/common/oauth2/token`, clientID: 'cluster', scopes: ['user_impersonation'] };
      return { ...placed, spec: { ...connectionSpec, auth: { federated: { ...federated, ...replaced } } } };
    });
    await deactivateAlert(cluster, scope);
    await applyObjects([
      ...items,
      {
        apiVersion: 'rolealerts.dev/v1alpha1',
        kind: 'RoleAlertPolicy',
        metadata: { name: 'federated', namespace: serviceNamespace },
        spec: { connectionRef: { name: 'prod' }, scope, interval: '1m', alerts: [{ name: alert, state: 'Active' }] },
      },
    ]);
    await alertIsActive(cluster, scope);
    await cluster.kubectl(['wait', ...inService, '--for=condition=Ready', 'rolealertpolicy/federated', '--timeout=5m']);
    const last = (await audit()).filter((record) => record.scope === scope && record.alert === alert.toLowerCase());
    expect(last.at(-1)).toMatchObject({ action: 'update', actor: 'cluster', to: true });
  });
});
