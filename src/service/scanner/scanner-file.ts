// Parses the file of `--scanner`: the source of the assignments, the roles of owners, the interval, and the thresholds for alerts
// without their own. Every problem names its path.
import { dirname, resolve } from 'node:path';

import { parseDuration } from '../../lib/duration.ts';
import { parseLabelSelector, type LabelSelector } from '../../lib/label-selector.ts';
import { readDocument } from '../config-files/read.ts';
import {
  anyText,
  check,
  checked,
  list,
  object,
  parsed,
  refine,
  requireShape,
  text,
  whole,
} from '../config-files/shape.ts';
import { scopeProblem } from '../http/resource-path.ts';
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

const interval = parsed((given) => {
  const intervalMs = parseDuration(given) ?? 0;
  return intervalMs >= shortestIntervalMs && intervalMs <= longestIntervalMs ? intervalMs : undefined;
}, 'must be a duration like 5m, from 1s to 168h');

const [int32, percentage] = [whole(0, 2 ** 31 - 1), whole(0, 100)];

const thresholds = object({}, {
  thresholdNumberOfPermanentOwners: int32,
  thresholdPercentageOfPermanentOwnersOutOfAllOwners: percentage,
  thresholdNumberOfOwners: int32,
  thresholdPercentageOfOwnersOutOfAllRoleMembers: percentage,
} satisfies Record<ThresholdName, unknown>);

const clusterName = checked(text, (name) =>
  name.includes('/') || scopeProblem(`clusters/${name}`) !== undefined
    ? 'must be a valid segment of a scope'
    : undefined,
);

const texts = list(anyText);

const { interval: usualInterval, fileOwners, ...clusterDefaults } = scannerDefaults;

const fileSource = refine(object({ path: text }, { owners: texts }), (given): FileSourceOptions => ({
  from: 'file',
  owners: fileOwners,
  ...given,
}));

const clusterSource = refine(
  object(
    { name: clusterName },
    {
      kubeconfig: text,
      clusterOwners: texts,
      namespaceOwners: texts,
      insideSelector: parsed(parseLabelSelector, 'must be a label selector in kubectl syntax'),
      endAnnotation: text,
      ignoredRolePrefixes: texts,
      ignoredUserPrefixes: texts,
    },
  ),
  (given): ClusterSourceOptions => ({
    from: 'cluster',
    ...clusterDefaults,
    kubeconfig: undefined,
    insideSelector: undefined,
    ...given,
  }),
);

const source = refine(object({}, { file: fileSource, cluster: clusterSource }), (given, note) => {
  const [one, ...others] = Object.values(given);
  if (!one || others.length > 0) note('must have either "file" or "cluster"');
  return one;
});

const configuration = object({ source }, { interval, thresholds });

/** Throws `UsageError`. Paths in the file are relative to it. */
export async function readScannerFile(file: string): Promise<ScannerConfiguration> {
  return decodeScannerConfiguration(await readDocument('scanner', file), file);
}

/** Checks the whole document. Throws `UsageError`. */
export function decodeScannerConfiguration(document: unknown, file: string): ScannerConfiguration {
  const given = requireShape('scanner', file, check(document, configuration));
  return {
    intervalMs: given.interval ?? parseDuration(usualInterval) ?? 0,
    thresholds: { ...defaultThresholds, ...given.thresholds },
    source: withPaths(given.source, (path) => resolve(dirname(file), path)),
  };
}

function withPaths(given: ScannerConfiguration['source'], absolute: (path: string) => string) {
  if (given.from === 'file') return { ...given, path: absolute(given.path) };
  return { ...given, kubeconfig: given.kubeconfig && absolute(given.kubeconfig) };
}
