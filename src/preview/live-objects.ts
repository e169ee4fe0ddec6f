// The objects of a cluster as the viewer may read them. Their statuses hold the memory of the operator.
import type { ClusterPlace } from '../cluster/cluster-place.ts';
import { readFleet } from '../cluster/read-fleet.ts';
import { isKubeError } from '../kube/kube-error.ts';
import { readNamespace } from '../kube/namespaces.ts';
import { clusterConnectionKind, type NamespaceMetadata } from '../policy/resources.ts';
import { appliedTo, type PreviewObjects } from './preview-objects.ts';

/** The objects of the place after `kubectl apply` of the files. Rejects with a `KubeError`. */
export async function liveObjects(place: ClusterPlace, files: PreviewObjects): Promise<PreviewObjects> {
  const { policies, connections } = await readFleet(place);
  const others = { namespaces: [], secrets: new Map(), configMaps: new Map(), manifests: new Map() };
  return withNamespaces(place, appliedTo({ policies, connections, ...others }, files));
}

/** With the namespaces whose labels decide what a ClusterRoleAlertConnection grants, and that no file declares. */
async function withNamespaces(place: ClusterPlace, objects: PreviewObjects): Promise<PreviewObjects> {
  const known = new Set(objects.namespaces.map(({ metadata }) => metadata.name));
  const asking = objects.policies.filter(({ spec }) => spec.connectionRef.kind === clusterConnectionKind);
  const missing = [...new Set(asking.map(({ metadata }) => metadata.namespace))].filter((name) => !known.has(name));
  const read = await Promise.all(missing.map((name) => readUnlessRefused(place, name)));
  return { ...objects, namespaces: [...objects.namespaces, ...read.filter((each) => each !== undefined)] };
}

async function readUnlessRefused(
  { transport, signal }: ClusterPlace,
  name: string,
): Promise<NamespaceMetadata | undefined> {
  try {
    return await readNamespace(transport, name, signal);
  } catch (error) {
    if (isKubeError(error, 'kube-denied')) return undefined;
    throw error;
  }
}
