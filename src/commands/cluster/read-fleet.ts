// Reads the policies and connections of a report once.
import { clusterConnectionResource, connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import { isKubeError, type KubeErrorCode } from '../../operator/kube/kube-error.ts';
import { listObjects, type ListedObjects } from '../../operator/kube/list-objects.ts';
import { decodeClusterConnection, decodeConnection, decodePolicy } from '../../policy/decode-resources.ts';
import {
  clusterConnectionKind,
  type ClusterRoleAlertConnection,
  connectionKind,
  policyKind,
} from '../../policy/resources.ts';
import type { FleetInput } from '../report/fleet.ts';
import type { ResourceKind } from '../report/object-name.ts';
import type { ClusterPlace } from './cluster-place.ts';
import { unreadableNote } from './unreadable-objects.ts';
import { connectionsInReport, hiddenConnectionsNote } from './visible-connections.ts';

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
