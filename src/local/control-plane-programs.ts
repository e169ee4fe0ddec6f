// The command lines of the three programs of a control plane. All of them listen on loopback only, unless there are nodes.
import { join } from 'node:path';

import type { Binaries } from './binaries.ts';
import type { Program } from './supervisor-messages.ts';

interface Ports {
  readonly apiServer: number;
  readonly etcd: number;
  readonly etcdPeer: number;
}

export interface ControlPlaneProgramOptions {
  readonly binaries: Binaries;
  readonly dataDirectory: string;
  readonly kubeconfigPath: string;
  readonly ports: Ports;
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
  const { nodeAddress } = facts;
  const forNodes =
    nodeAddress === undefined
      ? ['--bind-address=127.0.0.1', '--disable-admission-plugins=ServiceAccount', '--endpoint-reconciler-type=none']
      : ['--bind-address=0.0.0.0', '--kubelet-preferred-address-types=InternalIP'];
  return program(facts, 'kube-apiserver', facts.binaries.kubeApiServer, [
    `--etcd-servers=http://127.0.0.1:${facts.ports.etcd}`,
    `--advertise-address=${nodeAddress ?? '127.0.0.1'}`,
    `--secure-port=${facts.ports.apiServer}`,
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
