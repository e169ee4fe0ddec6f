// What the programs of a control plane get: their command lines, their credentials and a kubeconfig, which only their owner can read. All of
// them listen on loopback only, unless there are nodes.
import { generateKeyPairSync } from 'node:crypto';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { stringify } from 'yaml';

import { makeDirectory } from '../lib/make-directory.ts';
import type { SecretText } from '../lib/secret-text.ts';
import type { Binaries } from './binaries.ts';
import type { Program } from './supervisor.ts';

export interface ControlPlaneProgramOptions {
  readonly binaries: Binaries;
  readonly dataDirectory: string;
  readonly kubeconfigPath: string;
  readonly ports: { readonly apiServer: number; readonly etcd: number; readonly etcdPeer: number };
  /** Where kubelets and pods reach the API server, which listens on every address then. Absent: no pods run. */
  readonly nodeAddress?: string;
}

/** Files of the data folder that the programs share with their owner. */
export const controlPlaneFiles = {
  tokens: 'tokens.csv',
  serviceAccountKey: 'service-account.key',
  serviceAccountPublicKey: 'service-account.pub',
  certificates: 'certificates',
  /** Written by the API server: its certificate, followed by its CA. */
  servingCertificate: join('certificates', 'apiserver.crt'),
} as const;

/**
 * Namespace deletion, owner references, the aggregated roles view, edit and admin, the `default` service accounts, and the
 * type check of admission policies.
 */
const controllers = [
  'namespace-controller',
  'garbage-collector-controller',
  'clusterrole-aggregation-controller',
  'serviceaccount-controller',
  'validatingadmissionpolicy-status-controller',
];

export function etcdProgram(facts: ControlPlaneProgramOptions): Program {
  const client = `http://127.0.0.1:${facts.ports.etcd}`;
  const peer = `http://127.0.0.1:${facts.ports.etcdPeer}`;
  return program(facts, 'etcd', facts.binaries.etcd, [
    `--data-dir=${join(facts.dataDirectory, 'etcd')}`,
    '--unsafe-no-fsync',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--log-level=warn',
  ]);
}

/** PodSecurity admission stays enabled. Without nodes ServiceAccount admission is disabled, because no pods run that could mount a token. */
export function apiServerProgram(facts: ControlPlaneProgramOptions): Program {
  const file = (name: string) => join(facts.dataDirectory, name);
  const { nodeAddress, ports } = facts;
  const forNodes =
    nodeAddress === undefined
      ? ['--bind-address=127.0.0.1', '--disable-admission-plugins=ServiceAccount', '--endpoint-reconciler-type=none']
      : ['--bind-address=0.0.0.0', '--kubelet-preferred-address-types=InternalIP'];
  return program(facts, 'kube-apiserver', facts.binaries.kubeApiServer, [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    `--advertise-address=${nodeAddress ?? '127.0.0.1'}`,
    `--secure-port=${ports.apiServer}`,
    `--cert-dir=${file(controlPlaneFiles.certificates)}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file(controlPlaneFiles.serviceAccountPublicKey)}`,
    `--service-account-signing-key-file=${file(controlPlaneFiles.serviceAccountKey)}`,
    `--token-auth-file=${file(controlPlaneFiles.tokens)}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--profiling=false',
    ...forNodes,
  ]);
}

/**
 * Undefined without kube-controller-manager. With nodes it runs all its controllers. Each controller has the ServiceAccount of its own that admission policies
 * name, as in a cluster.
 */
export function controllerManagerProgram(facts: ControlPlaneProgramOptions): Program | undefined {
  const file = facts.binaries.kubeControllerManager;
  if (file === undefined) return undefined;
  const inData = (name: string) => join(facts.dataDirectory, name);
  const forNodes =
    facts.nodeAddress === undefined
      ? [`--controllers=${controllers.join(',')}`]
      : [
          `--service-account-private-key-file=${inData(controlPlaneFiles.serviceAccountKey)}`,
          `--root-ca-file=${inData(controlPlaneFiles.servingCertificate)}`,
          // It makes the folder, by default outside its data.
          `--flex-volume-plugin-dir=${inData('volume-plugins')}`,
        ];
  return program(facts, 'kube-controller-manager', file, [
    `--kubeconfig=${facts.kubeconfigPath}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--use-service-account-credentials=true',
    '--profiling=false',
    ...forNodes,
  ]);
}

function program(facts: ControlPlaneProgramOptions, name: string, file: string, args: readonly string[]): Program {
  return { name, file, args, logPath: join(facts.dataDirectory, `${name}.log`) };
}

interface KubeconfigFacts {
  readonly url: string;
  /** The API server's certificate and its CA, in PEM. */
  readonly certificateAuthority: string;
  readonly token: SecretText;
  /** Impersonated user (`--as`, `--as-group`). Absent: none. */
  readonly impersonate?: { readonly user: string; readonly groups: readonly string[] };
}

export function renderKubeconfig(facts: KubeconfigFacts): string {
  const name = 'rolealerts-local';
  const as = facts.impersonate && { as: facts.impersonate.user, 'as-groups': [...facts.impersonate.groups] };
  const authority = Buffer.from(facts.certificateAuthority).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: facts.url, 'certificate-authority-data': authority } }],
    users: [{ name, user: { token: facts.token.reveal(), ...as } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

/** Writes the keys for service accounts and the token of the administrator into the data folder. */
export async function writeCredentials(dataDirectory: string, adminToken: SecretText): Promise<void> {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const token = `${adminToken.reveal()},rolealerts-local-admin,rolealerts-local-admin,system:masters\n`;
  const write = (name: string, text: string) => writePrivateFile(join(dataDirectory, name), text);
  await write(controlPlaneFiles.serviceAccountKey, keys.privateKey);
  await write(controlPlaneFiles.serviceAccountPublicKey, keys.publicKey);
  await write(controlPlaneFiles.tokens, token);
}

/** Replaces the file atomically; only its owner can read it. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await makeDirectory(dirname(path), 0o700);
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}
