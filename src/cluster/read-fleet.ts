// Reads the policies and connections of a report once.
import { clusterConnectionResource, connectionResource, policyResource } from '../kube/custom-resources.ts';
import { isKubeError, type KubeErrorCode } from '../kube/kube-error.ts';
import { listObjects, type ListedObjects } from '../kube/list-objects.ts';
import { decodeClusterConnection, decodeConnection, decodePolicy } from '../policy/decode-resources.ts';
import type { ClusterRoleAlertConnection } from '../policy/resources.ts';
import type { FleetInput } from '../view/fleet.ts';
import type { ClusterPlace } from './cluster-place.ts';
import { connectionsInReport, hiddenConnectionsNote } from './visible-connections.ts';

/** Rejects with a `KubeError`. Without ClusterRoleAlertConnections, a note says why. */
export async function readFleet(place: ClusterPlace): Promise<Omit<FleetInput, 'nowMs'>> {
  const { transport, namespace, signal, note } = place;
  const [policies, connections, clusterConnections] = await Promise.all([
    listObjects(transport, { resource: policyResource, namespace, decode: decodePolicy, signal }),
    listObjects(transport, { resource: connectionResource, namespace, decode: decodeConnection, signal }),
    listClusterConnections(place),
  ]);
  if ('code' in clusterConnections) {
    const sentence = hiddenConnectionsNote(clusterConnections.code, policies.items, namespace);
    if (sentence !== undefined) note(sentence);
  }
  const { items, unreadable } = 'code' in clusterConnections ? nothing : clusterConnections;
  for (const each of [...policies.unreadable, ...connections.unreadable, ...unreadable]) {
    note(`not shown, because this version cannot read it: ${each}`);
  }
  return {
    policies: policies.items,
    connections: [...connections.items, ...connectionsInReport(items, policies.items, namespace)],
  };
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
