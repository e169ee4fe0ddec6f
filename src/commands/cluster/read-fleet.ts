// Reads the policies and connections of a report once. What this version cannot read, and what the API server does not show to this person, is in
// its notes.
import { isString } from '../../lib/json-shape.ts';
import { clusterConnectionResource, connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import { isKubeError } from '../../operator/kube/kube-error.ts';
import { listObjects } from '../../operator/kube/lists.ts';
import { type KubeObject, type KubeResource, objectKey } from '../../operator/kube/resource.ts';
import {
  decodeClusterConnection,
  decodeConnection,
  type DecodedResource,
  decodePolicy,
} from '../../policy/decode-resources.ts';
import {
  clusterConnectionKind,
  type ClusterRoleAlertConnection,
  connectionKind,
  policyKind,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import type { FleetInput } from '../report/fleet.ts';
import type { ResourceKind } from '../report/object-name.ts';
import type { ClusterPlace } from './cluster-place.ts';

export interface ReadFleet extends Omit<FleetInput, 'nowMs'> {
  readonly notes: readonly string[];
  /** Why no ClusterRoleAlertConnection was read. */
  readonly refusal: ListRefusal | undefined;
}

/**
 * Rejects with a `KubeError`. What it leaves out is in the notes, which the place receives as well. `planned`: policies that are not stored yet,
 * whose cluster connections it reads as well.
 */
export async function readFleet(place: ClusterPlace, planned: readonly RoleAlertPolicy[] = []): Promise<ReadFleet> {
  const { transport, namespace, signal, note } = place;
  const clusterConnectionsOf = { transport, namespace: undefined, signal };
  const [policies, connections, clusterConnections] = await Promise.all([
    listAll(place, policyResource, decodePolicy),
    listAll(place, connectionResource, decodeConnection),
    listAll(clusterConnectionsOf, clusterConnectionResource, decodeClusterConnection).catch(refusalOf),
  ]);
  const fleet = fleetOfObjects({ policies, connections, clusterConnections }, namespace, planned);
  for (const sentence of fleet.notes) note(sentence);
  return fleet;
}

async function listAll<T>(
  { transport, namespace, signal }: Pick<ClusterPlace, 'transport' | 'namespace' | 'signal'>,
  resource: KubeResource,
  decode: (json: unknown) => DecodedResource<T>,
): Promise<readonly (T | UnreadableObject)[]> {
  const readable = orUnreadable(decode);
  const decodeObject = (json: unknown) => readable(json as KubeObject);
  return (await listObjects(transport, { resource, namespace, decode: decodeObject, signal })).items;
}

/** The code when the API server does not have the resource, or does not show it to this person. Throws other errors. */
function refusalOf(error: unknown): ListRefusal {
  if (isKubeError(error, 'kube-denied', 'kube-not-found')) return error.code as ListRefusal;
  throw error;
}

type ListRefusal = 'kube-denied' | 'kube-not-found';

type Objects<T> = Iterable<T | UnreadableObject>;

interface FleetObjects {
  readonly policies: Objects<RoleAlertPolicy>;
  readonly connections: Objects<RoleAlertConnection>;
  readonly clusterConnections: Objects<ClusterRoleAlertConnection> | ListRefusal;
}

/**
 * A report of a namespace has the cluster connections that its policies use. A team usually may not read them, because their statuses name the
 * policies of every team; no note says so when the report would show none anyway.
 */
export function fleetOfObjects(
  objects: FleetObjects,
  namespace: string | undefined,
  planned: readonly RoleAlertPolicy[] = [],
): ReadFleet {
  const refusal = isString(objects.clusterConnections) ? objects.clusterConnections : undefined;
  const policies = readableOf(policyKind, objects.policies);
  const connections = readableOf(connectionKind, objects.connections);
  const ofCluster = readableOf(
    clusterConnectionKind,
    refusal ? [] : (objects.clusterConnections as Objects<ClusterRoleAlertConnection>),
  );
  const used = usedNames([...policies.items, ...planned]);
  const isShown = ({ metadata }: ClusterRoleAlertConnection) => namespace === undefined || used.has(metadata.name);
  const isHidden = refusal !== undefined && (namespace === undefined || used.size > 0);
  return {
    policies: policies.items,
    connections: [...connections.items, ...ofCluster.items.filter(isShown)],
    refusal,
    notes: [...(isHidden ? [refusals[refusal]] : []), ...policies.notes, ...connections.notes, ...ofCluster.notes],
  };
}

const refusals: Readonly<Record<ListRefusal, string>> = {
  'kube-denied':
    'ClusterRoleAlertConnections are not shown, because the API server does not let you list them. To see them, ask for the ClusterRole rolealerts-platform-admin.',
  'kube-not-found':
    'ClusterRoleAlertConnections are not shown, because the cluster does not have their definition. To use them, apply crds/ of this version.',
};

function usedNames(policies: readonly RoleAlertPolicy[]): ReadonlySet<string> {
  const references = policies.map(({ spec }) => spec.connectionRef);
  return new Set(references.filter(({ kind }) => kind === clusterConnectionKind).map(({ name }) => name));
}

/** What a cache keeps of such an object. */
export interface UnreadableObject extends KubeObject {
  /** The path of the first member that this version cannot read. */
  readonly unreadable: string;
}

/** Decodes every object: those that `decode` refuses to an `UnreadableObject`. */
export function orUnreadable<T>(decode: (json: unknown) => DecodedResource<T>) {
  return (object: KubeObject): DecodedResource<T | UnreadableObject> => {
    const { value, problems } = decode(object);
    if (value !== undefined) return { value, problems };
    return { value: { metadata: object.metadata, unreadable: problems.join(', ') }, problems: [] };
  };
}

/** The readable objects, and a sentence for each other one. */
function readableOf<T extends object>(
  kind: ResourceKind,
  objects: Objects<T>,
): { readonly items: readonly T[]; readonly notes: readonly string[] } {
  const items: T[] = [];
  const notes: string[] = [];
  for (const object of objects) {
    if (!('unreadable' in object)) items.push(object);
    else {
      const words = `${kind} ${objectKey(object)}`;
      notes.push(
        `${words} is not shown, because this version of rolealerts cannot read it (${object.unreadable}). Use the version of the operator.`,
      );
    }
  }
  return { items, notes };
}
