// The resources of the simulated API server, and the rules for their objects: the schemas of crds/ with their
// defaults and their rules.
import { readFile } from 'node:fs/promises';

import { parse } from 'yaml';

import type { CrdSchema } from '../../../src/lib/crds.ts';

export interface SimResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** The status is written through its own path, and the spec through the other. */
  readonly hasStatus: boolean;
  /** Of `spec` and `status`; undefined for what is built into Kubernetes. */
  readonly schema?: CrdSchema;
  /** A replacement has to say which version it replaces. */
  readonly needsVersion?: boolean;
}

const builtIn = [
  { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', isNamespaced: false, hasStatus: false },
  { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', isNamespaced: true, hasStatus: false },
  { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', isNamespaced: true, hasStatus: false },
  {
    group: '',
    version: 'v1',
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    isNamespaced: true,
    hasStatus: false,
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    plural: 'leases',
    kind: 'Lease',
    isNamespaced: true,
    hasStatus: false,
    needsVersion: true,
  },
  { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', isNamespaced: true, hasStatus: false },
] as const satisfies readonly SimResource[];

/** Read once per process: the files of crds/ do not change while it runs. */
export async function readResources(): Promise<readonly SimResource[]> {
  const plurals = ['rolealertpolicies', 'rolealertconnections', 'clusterrolealertconnections'];
  return [...builtIn, ...(await Promise.all(plurals.map(readCrd)))];
}

async function readCrd(plural: string): Promise<SimResource> {
  const file = new URL(`../../../crds/rolealerts.dev_${plural}.yaml`, import.meta.url);
  const { spec } = parse(await readFile(file, 'utf8'));
  const [version] = spec.versions;
  return {
    group: spec.group,
    version: version.name,
    plural,
    kind: spec.names.kind,
    isNamespaced: spec.scope === 'Namespaced',
    hasStatus: true,
    needsVersion: true,
    schema: version.schema.openAPIV3Schema,
  };
}
