// What tests ask of pods.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { eventually } from '../servers/control-plane.ts';
import type { PodCluster } from './pod-cluster.ts';

export const operatorNamespace = 'rolealerts-system';
export const serviceNamespace = 'rolealerts-alerts-service';
export const inOperator = ['--namespace', operatorNamespace] as const;
export const inService = ['--namespace', serviceNamespace] as const;

const policy = 'rolealertpolicy/cluster-owners';
export const program = '/opt/rolealerts/rolealerts.mjs';

export interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly [
      {
        readonly restartCount: number;
        readonly containerID?: string;
        readonly lastState: {
          readonly terminated?: { readonly message?: string; readonly reason?: string; readonly exitCode: number };
        };
      },
    ];
  };
}

const folder = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

export async function apply(cluster: PodCluster, name: string): Promise<void> {
  await cluster.kubectl(['apply', '--server-side', '--kustomize', folder(name)]);
}

export async function rolledOut(cluster: PodCluster, namespace: string, deployment: string): Promise<void> {
  const args = ['rollout', 'status', `deployment/${deployment}`, '--namespace', namespace, '--timeout=5m'];
  await cluster.kubectl(args);
}

/** Those of the operator that are not ending. */
export async function operatorPods(cluster: PodCluster): Promise<readonly Pod[]> {
  const args = ['get', 'pods', ...inOperator, '--selector=app.kubernetes.io/component=operator'];
  const { items } = await cluster.kubectlJson<{ items: readonly Pod[] }>(args);
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export const isReady = ({ status }: Pod) =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

interface Lease {
  readonly spec: { readonly holderIdentity: string; readonly acquireTime: string };
}

/** The pod that holds the Lease, and since when. */
export async function leader(cluster: PodCluster): Promise<{ pod: string; identity: string; sinceMs: number }> {
  const { spec } = await cluster.kubectlJson<Lease>(['get', 'lease', 'rolealerts', ...inOperator]);
  const { holderIdentity: identity, acquireTime } = spec;
  return { pod: identity.replace(/_[^_]*$/, ''), identity, sinceMs: Date.parse(acquireTime) };
}

export async function nextLeader(cluster: PodCluster, before: string) {
  return eventually('another leader', async () => {
    const now = await leader(cluster);
    return now.identity !== before && now.identity !== '' ? now : undefined;
  });
}

/** The operator, and an alerts service with the policy of deploy/alerts-service, which is Ready. */
export async function applyAlertsService(cluster: PodCluster): Promise<void> {
  await apply(cluster, 'deploy/alerts-service');
  await connectAlertsService(cluster);
}

/** Waits for the service, and until the policy is Ready. */
export async function connectAlertsService(cluster: PodCluster): Promise<void> {
  await trustAlertsService(cluster);
  await requestReconcile(cluster);
  await cluster.kubectl(['wait', ...inService, '--for=condition=Ready', policy, '--timeout=5m']);
}

/** Waits for the service, which has a CA then, and for the operator. */
export async function trustAlertsService(cluster: PodCluster): Promise<void> {
  await rolledOut(cluster, serviceNamespace, 'alerts-service');
  const ca = await inAlertsService(cluster, [program, 'serve', 'ca']);
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'alerts-service-ca', namespace: serviceNamespace },
    data: { 'ca.crt': ca },
  };
  await cluster.kubectl(['apply', '--filename', '-'], { input: JSON.stringify(configMap) });
  await rolledOut(cluster, operatorNamespace, 'rolealerts');
}

/** Its interval is a minute. */
export async function requestReconcile(cluster: PodCluster): Promise<void> {
  const annotation = `rolealerts.dev/requestedAt=${new Date().toISOString()}`;
  await cluster.kubectl(['annotate', ...inService, '--overwrite', policy, annotation]);
}

/** Standard output of Node in the pod of the service. */
function inAlertsService(cluster: PodCluster, args: readonly string[]): Promise<string> {
  return cluster.kubectl(['exec', ...inService, 'deployment/alerts-service', '--', 'node', ...args]);
}

/** As the operator's client: reads and writes the alert that the policy declares Active. */
const ask = (scope: string) => `
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const { readFileSync } = await import('node:fs');
const url = 'https://alerts-service.rolealerts-alerts-service.svc:8443';
const secret = readFileSync('/etc/rolealerts/operator/client-secret', 'utf8');
const form = { grant_type: 'client_credentials', client_id: 'operator', client_secret: secret, scope: 'user_impersonation' };
const granted = await fetch(url + '/common/oauth2/token', { method: 'POST', body: new URLSearchParams(form) });
const { access_token } = await granted.json();
const alerts = url + '/${scope}/providers/Vendor.Authorization/roleManagementAlerts';
const name = 'TooManyOwnersAssignedToResource';
const send = (path, options) => fetch(alerts + path + '?api-version=2022-08-01-preview', {
  ...options, headers: { authorization: 'Bearer ' + access_token, 'content-type': 'application/json' } });
const isActive = async () => {
  const { value } = await (await send('')).json();
  return value.find((alert) => alert.name === name).properties.isActive;
};
const deactivate = async () => (await send('/' + name, { method: 'PATCH', body: '{"properties":{"isActive":false}}' })).status;
`;

export async function deactivateAlert(cluster: PodCluster, scope = 'clusters/this'): Promise<void> {
  const status = await inAlertsService(cluster, [
    '--input-type=module',
    '--eval',
    `${ask(scope)} console.log(await deactivate());`,
  ]);
  if (status.trim() !== '204') throw new Error(`the alert was not deactivated: ${status}`);
}

/** Resolves with the time when the alert is seen active again. */
export async function alertIsActive(cluster: PodCluster, scope = 'clusters/this'): Promise<number> {
  const wait = `while (!(await isActive())) await new Promise((resolve) => setTimeout(resolve, 100)); console.log(Date.now());`;
  return Number(await inAlertsService(cluster, ['--input-type=module', '--eval', ask(scope) + wait]));
}

/** PATCHes that the service carried out since its start. */
export async function patchCount(cluster: PodCluster): Promise<number> {
  const path = `/api/v1/namespaces/${serviceNamespace}/services/alerts-service:metrics/proxy/metrics`;
  const metrics = await cluster.kubectl(['get', '--raw', path]);
  return Number(
    /^rolealerts_service_answers_total\{route="update-alert",status="204"\} (\d+)$/m.exec(metrics)?.[1] ?? 0,
  );
}

export interface ContainerCgroup {
  readonly path: string;
  /** On this machine. */
  readonly pids: readonly number[];
  readonly memoryBytes: number;
  readonly limitBytes: number;
}

/** What the kernel says about the only container of a pod. */
export function cgroupOf(cluster: PodCluster, { metadata, status }: Pod): ContainerCgroup {
  const id = status.containerStatuses?.[0].containerID?.replace('containerd://', '');
  const found = globSync(`/sys/fs/cgroup/{memory/,}${cluster.name}/kubepods/*/pod${metadata.uid}/${id}`);
  const [path = ''] = found;
  const read = (name: string) => readFileSync(join(path, name), 'utf8').trim();
  const isFirst = path.startsWith('/sys/fs/cgroup/memory/');
  return {
    path,
    pids: read('cgroup.procs').split('\n').map(Number),
    memoryBytes: Number(read(isFirst ? 'memory.max_usage_in_bytes' : 'memory.peak')),
    limitBytes: Number(read(isFirst ? 'memory.limit_in_bytes' : 'memory.max')),
  };
}

/** Takes memory in the container until the kernel has ended its first process. */
export async function exhaustMemory({ path, pids }: ContainerCgroup): Promise<void> {
  // The kernel chooses this one, whatever else is in the container.
  writeFileSync(`/proc/${pids[0]}/oom_score_adj`, '1000');
  const take = 'const held = []; for (;;) held.push(Buffer.alloc(2 ** 20, 1));';
  const enter = 'echo $$ >"$0/cgroup.procs" && exec "$1" --eval "$2"';
  const child = spawn('sh', ['-c', enter, path, process.execPath, take], { stdio: 'ignore' });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the kernel ended nothing: ${signal}`);
}
