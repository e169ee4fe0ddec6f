// Parses the file of `--scanner`: the source of the assignments, the roles of owners, the interval, and the thresholds for alerts
// without their own. Every problem names its path.
import { dirname, resolve } from 'node:path';

import { parseDuration } from '../lib/duration.ts';
import { parseLabelSelector, type LabelSelector } from '../policy/label-selector.ts';
import {
  requireText,
  note,
  openFields,
  openMember,
  readText,
  readTexts,
  readWhole,
  type Fields,
} from '../service/config-files/fields.ts';
import { readDocument, refuseProblems } from '../service/config-files/read.ts';
import { scopeProblem } from '../service/http/resource-path.ts';
import { defaultThresholds, type Thresholds, type ThresholdName } from './kinds.ts';

export interface ScannerConfiguration {
  readonly intervalMs: number;
  readonly thresholds: Thresholds;
  readonly source: FileSourceOptions | ClusterSourceOptions;
}

export interface FileSourceOptions {
  readonly from: 'file';
  readonly path: string;
  /** Names of the roles whose members are owners. */
  readonly owners: readonly string[];
}

export interface ClusterSourceOptions {
  readonly from: 'cluster';
  /** The scopes are `clusters/NAME` and `clusters/NAME/namespaces/NAMESPACE`. */
  readonly name: string;
  /** Undefined: chosen as kubectl does. */
  readonly kubeconfig: string | undefined;
  /** ClusterRoles whose subjects are owners of the cluster, when a ClusterRoleBinding refers to them. */
  readonly clusterOwners: readonly string[];
  /** Roles and ClusterRoles whose subjects are owners of a namespace, when a RoleBinding refers to them. */
  readonly namespaceOwners: readonly string[];
  /** Selects the bindings of the privileged access service. Undefined: no binding counts as outside of it. */
  readonly insideSelector: LabelSelector | undefined;
  /** The annotation of a binding that contains its end. */
  readonly endAnnotation: string;
  /** The scanner ignores roles with these prefixes, and their bindings. */
  readonly ignoredRolePrefixes: readonly string[];
  /** The scanner ignores Users with these prefixes, but never groups and service accounts. */
  readonly ignoredUserPrefixes: readonly string[];
}

export const scannerDefaults = {
  interval: '5m',
  fileOwners: ['Owner'],
  clusterOwners: ['cluster-admin'],
  namespaceOwners: ['cluster-admin', 'admin'],
  endAnnotation: 'rolealerts.dev/assignment-ends-at',
  ignoredRolePrefixes: ['system:'],
  ignoredUserPrefixes: ['system:kube-'],
} as const;

const shortestIntervalMs = 1000;
const longestIntervalMs = 7 * 24 * 3_600_000;
const int32Limit = 2 ** 31 - 1;

const fileMembers = ['path', 'owners'];
const clusterMembers = [
  'name',
  'kubeconfig',
  'clusterOwners',
  'namespaceOwners',
  'insideSelector',
  'endAnnotation',
  'ignoredRolePrefixes',
  'ignoredUserPrefixes',
];

/** Throws `UsageError`. Paths in the file are relative to it. */
export async function readScannerFile(file: string): Promise<ScannerConfiguration> {
  return decodeScannerConfiguration(await readDocument('scanner', file), file);
}

/** Checks the whole document. Throws `UsageError`. */
export function decodeScannerConfiguration(document: unknown, file: string): ScannerConfiguration {
  const problems: string[] = [];
  const fields = openFields(document ?? null, { path: '', problems, known: ['interval', 'thresholds', 'source'] });
  const configuration = {
    intervalMs: decodeInterval(fields),
    thresholds: decodeThresholds(fields),
    source: decodeSource(fields, (path) => resolve(dirname(file), path)),
  };
  refuseProblems('scanner', file, problems);
  return configuration;
}

function decodeInterval(fields: Fields): number {
  const { interval = scannerDefaults.interval } = fields.object;
  const intervalMs = typeof interval === 'string' ? parseDuration(interval) : undefined;
  const isRight = intervalMs !== undefined && intervalMs >= shortestIntervalMs && intervalMs <= longestIntervalMs;
  if (!isRight) note(fields, 'interval', 'must be a duration like 5m, from 1s to 168h');
  return intervalMs ?? 0;
}

function decodeThresholds(fields: Fields): Thresholds {
  const names = Object.keys(defaultThresholds) as readonly ThresholdName[];
  const thresholds = openMember(fields, 'thresholds', names);
  const mostOf = (name: string) => (name.startsWith('thresholdPercentage') ? 100 : int32Limit);
  const given = names.map((name) => [name, readWhole(thresholds, name, mostOf(name)) ?? defaultThresholds[name]]);
  return Object.fromEntries(given) as Thresholds;
}

function decodeSource(fields: Fields, resolvePath: (path: string) => string): FileSourceOptions | ClusterSourceOptions {
  const source = openMember(fields, 'source', ['file', 'cluster']);
  const { file, cluster } = source.object;
  if ((file === undefined) === (cluster === undefined)) note(fields, 'source', 'must have either "file" or "cluster"');
  if (cluster !== undefined) return decodeCluster(openMember(source, 'cluster', clusterMembers), resolvePath);
  if (file !== undefined) return decodeFile(openMember(source, 'file', fileMembers), resolvePath);
  return { from: 'file', path: '', owners: [] };
}

function decodeFile(fields: Fields, resolvePath: (path: string) => string): FileSourceOptions {
  const path = resolvePath(requireText(fields, 'path'));
  return { from: 'file', path, owners: readTexts(fields, 'owners') ?? scannerDefaults.fileOwners };
}

function decodeCluster(fields: Fields, resolvePath: (path: string) => string): ClusterSourceOptions {
  const kubeconfig = readText(fields, 'kubeconfig');
  return {
    from: 'cluster',
    name: decodeClusterName(fields),
    kubeconfig: kubeconfig === undefined ? undefined : resolvePath(kubeconfig),
    clusterOwners: readTexts(fields, 'clusterOwners') ?? scannerDefaults.clusterOwners,
    namespaceOwners: readTexts(fields, 'namespaceOwners') ?? scannerDefaults.namespaceOwners,
    insideSelector: decodeSelector(fields),
    endAnnotation: readText(fields, 'endAnnotation') ?? scannerDefaults.endAnnotation,
    ignoredRolePrefixes: readTexts(fields, 'ignoredRolePrefixes') ?? scannerDefaults.ignoredRolePrefixes,
    ignoredUserPrefixes: readTexts(fields, 'ignoredUserPrefixes') ?? scannerDefaults.ignoredUserPrefixes,
  };
}

function decodeClusterName(fields: Fields): string {
  const name = requireText(fields, 'name');
  const isRight = !name.includes('/') && scopeProblem(`clusters/${name}`) === undefined;
  if (name !== '' && !isRight) note(fields, 'name', 'must be a valid segment of a scope');
  return name;
}

function decodeSelector(fields: Fields): LabelSelector | undefined {
  const text = readText(fields, 'insideSelector');
  const selector = text === undefined ? undefined : parseLabelSelector(text);
  if (text !== undefined && !selector) note(fields, 'insideSelector', 'must be a label selector in kubectl syntax');
  return selector;
}
