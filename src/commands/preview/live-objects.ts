// The objects of a cluster as the viewer may read them. Their statuses hold the memory of the operator.
import { isSameJson } from '../../lib/json-shape.ts';
import { isKubeError } from '../../operator/kube/kube-error.ts';
import { readNamespace } from '../../operator/kube/namespaces.ts';
import {
  type AnyConnection,
  clusterConnectionKind,
  type NamespaceMetadata,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import type { ClusterPlace } from '../cluster/cluster-place.ts';
import { readFleet } from '../cluster/read-fleet.ts';
import { storedConnection, storedPolicy } from '../manifests/as-stored.ts';
import { checkUpdates, type FileReport } from '../manifests/check-files.ts';
import type { PlacedProblem } from '../manifests/parse-manifests.ts';
import { type DeclaredObjects, fileObjects, type PreviewObjects } from './file-objects.ts';

export interface LiveObjects {
  /** The objects of the cluster. */
  readonly before: DeclaredObjects;
  /** The objects of the cluster after `kubectl apply` of the files. */
  readonly objects: PreviewObjects;
  /** True if the API server does not let this person list ClusterRoleAlertConnections. */
  readonly isClusterDenied: boolean;
  /** Why the API server would refuse a file, because its object differs from the stored one. */
  readonly refused: readonly PlacedProblem[];
}

/** Rejects with a `KubeError`. */
export async function liveObjects(
  place: ClusterPlace,
  report: Pick<FileReport, 'valid' | 'others'>,
): Promise<LiveObjects> {
  const files = fileObjects(report, place.namespace ?? 'default');
  const { policies, connections, refusal } = await readFleet(place, files.policies);
  const others = { secrets: new Map(), configMaps: new Map(), manifests: new Map() };
  const namespaces = await readNamespaces(place, [...policies, ...files.policies]);
  const before = { policies, connections, namespaces, ...others };
  const refused = refusedUpdates(report, place.namespace ?? 'default', before);
  return { before, objects: appliedTo(before, files), isClusterDenied: refusal === 'kube-denied', refused };
}

function refusedUpdates(
  { valid }: Pick<FileReport, 'valid'>,
  namespace: string,
  before: DeclaredObjects,
): readonly PlacedProblem[] {
  const keyOf = (object: RoleAlertPolicy | AnyConnection) => `${object.kind} ${namespacedName(object)}`;
  const known = new Map([...before.policies, ...before.connections].map((object) => [keyOf(object), object]));
  const updates = valid.flatMap(({ manifest, object }) => {
    const file = storedPolicy(object, namespace) ?? storedConnection(object, namespace);
    const stored = file && known.get(keyOf(file));
    return stored ? [{ manifest, updated: updated(stored, file), stored }] : [];
  });
  return checkUpdates(updates);
}

/** The namespaces whose labels decide what a ClusterRoleAlertConnection grants. */
async function readNamespaces(
  place: ClusterPlace,
  policies: readonly RoleAlertPolicy[],
): Promise<readonly NamespaceMetadata[]> {
  const asking = policies.filter(({ spec }) => spec.connectionRef.kind === clusterConnectionKind);
  const names = new Set(asking.map(({ metadata }) => metadata.namespace));
  const read = await Promise.all([...names].map((name) => readUnlessRefused(place, name)));
  return read.filter((each) => each !== undefined);
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

/** The objects of the cluster after `kubectl apply` of the files. */
export function appliedTo(live: PreviewObjects, files: PreviewObjects): PreviewObjects {
  return {
    policies: merged(live.policies, files.policies, updated),
    connections: merged<AnyConnection>(live.connections, files.connections, updated),
    namespaces: merged<NamespaceMetadata>(live.namespaces, files.namespaces, (_, file) => file),
    secrets: new Map([...live.secrets, ...files.secrets]),
    configMaps: new Map([...live.configMaps, ...files.configMaps]),
    manifests: files.manifests,
  };
}

interface Named {
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
}

function merged<T extends Named>(
  live: readonly T[],
  files: readonly T[],
  update: (stored: T, file: T) => T,
): readonly T[] {
  const objects = new Map(live.map((object) => [namespacedName(object), object]));
  for (const file of files) {
    const stored = objects.get(namespacedName(file));
    objects.set(namespacedName(file), stored ? update(stored, file) : file);
  }
  return [...objects.values()];
}

/** An update keeps what identifies the object and its status; a new spec has a new generation. */
function updated<T extends RoleAlertPolicy | AnyConnection>(stored: T, file: T): T {
  const { uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, annotations } = stored.metadata;
  const isSameSpec = isSameJson(stored.spec, file.spec);
  const kept = {
    uid,
    resourceVersion,
    generation: isSameSpec ? generation : generation + 1,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(annotations && { annotations: { ...annotations, ...file.metadata.annotations } }),
  };
  return { ...file, metadata: { ...file.metadata, ...kept }, ...(stored.status && { status: stored.status }) };
}
