// Reads the policies and connections of a report once. What this version cannot read, and what the API server does not show to this person, is in
// its notes.
import { clusterConnectionResource, connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import { isKubeError, type KubeErrorCode } from '../../operator/kube/kube-error.ts';
import { listObjects, type ListedObjects } from '../../operator/kube/lists.ts';
import { type KubeObject, objectKey } from '../../operator/kube/resource.ts';
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
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import type { FleetInput } from '../report/fleet.ts';
import type { ResourceKind } from '../report/object-name.ts';
import type { ClusterPlace } from './cluster-place.ts';

/** Rejects with a `KubeError`. What it leaves out is in the notes, which the place receives as well. */
export async function readFleet(place: ClusterPlace): Promise<Omit<FleetInput, 'nowMs'>> {
  const { transport, namespace, signal, note } = place;
  const [policies, connections, clusterConnections] = await Promise.all([
    listObjects(transport, { resource: policyResource, namespace, decode: decodePolicy, signal }),
    listObjects(transport, { resource: connectionResource, namespace, decode: decodeConnection, signal }),
    listClusterConnections(place),
  ]);
  const isRefused = 'code' in clusterConnections;
  const refusal = isRefused && hiddenConnectionsNote(clusterConnections.code, policies.items, namespace);
  const { items, unreadable } = isRefused ? nothing : clusterConnections;
  const notes = [
    ...(refusal ? [refusal] : []),
    ...notesOf(policyKind, policies.unreadable),
    ...notesOf(connectionKind, connections.unreadable),
    ...notesOf(clusterConnectionKind, unreadable),
  ];
  for (const sentence of notes) note(sentence);
  return {
    policies: policies.items,
    connections: [...connections.items, ...connectionsInReport(items, policies.items, namespace)],
    notes,
  };
}

function notesOf(kind: ResourceKind, unreadable: ListedObjects<unknown>['unreadable']): readonly string[] {
  return unreadable.map(({ key, path }) => unreadableNote(kind, key, path));
}

const nothing: ListedObjects<ClusterRoleAlertConnection> = { items: [], unreadable: [] };

/** The code of the refusal when the API server does not have them, or does not show them to this person. */
async function listClusterConnections({
  transport,
  signal,
}: ClusterPlace): Promise<ListedObjects<ClusterRoleAlertConnection> | { readonly code: KubeErrorCode }> {
  const resource = clusterConnectionResource;
  try {
    return await listObjects(transport, { resource, namespace: undefined, decode: decodeClusterConnection, signal });
  } catch (error) {
    if (isKubeError(error, 'kube-denied', 'kube-not-found')) return { code: error.code };
    throw error;
  }
}

/** All of them in a report of all namespaces; otherwise those that its policies use. */
export function connectionsInReport(
  connections: readonly ClusterRoleAlertConnection[],
  policies: readonly RoleAlertPolicy[],
  namespace: string | undefined,
): readonly ClusterRoleAlertConnection[] {
  if (namespace === undefined) return connections;
  const used = usedNames(policies);
  return connections.filter(({ metadata }) => used.has(metadata.name));
}

/**
 * A team usually may not read them, because their statuses name the policies of every team. Undefined when the report would show none anyway, and
 * for other failures.
 */
export function hiddenConnectionsNote(
  code: KubeErrorCode,
  policies: readonly RoleAlertPolicy[],
  namespace: string | undefined,
): string | undefined {
  if (namespace !== undefined && usedNames(policies).size === 0) return undefined;
  return refusals[code];
}

const refusals: Partial<Record<KubeErrorCode, string>> = {
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
export function readableOf<T extends object>(
  kind: ResourceKind,
  objects: Iterable<T | UnreadableObject>,
): { readonly items: readonly T[]; readonly notes: readonly string[] } {
  const items: T[] = [];
  const notes: string[] = [];
  for (const object of objects) {
    if ('unreadable' in object) notes.push(unreadableNote(kind, objectKey(object), object.unreadable));
    else items.push(object);
  }
  return { items, notes };
}

/** `key`: `namespace/name`, or the name. */
function unreadableNote(kind: ResourceKind, key: string, path: string): string {
  return `${kind} ${key} is not shown, because this version of rolealerts cannot read it (${path}). Use the version of the operator.`;
}
