// Which connections of files an operator of the cluster manages already: an object whose status it has written has the same name, or
// reaches the same service. Its Lease does not count: an operator without leader election has none, and most people may not read it.
import {
  clusterConnectionResource,
  connectionResource,
  createCustomResources,
} from '../../operator/kube/custom-resources.ts';
import { isKubeError } from '../../operator/kube/kube-error.ts';
import { listObjects } from '../../operator/kube/lists.ts';
import type { KubeResource } from '../../operator/kube/resource.ts';
import { decodeClusterConnection, decodeConnection, type DecodedResource } from '../../policy/decode-resources.ts';
import { endpointKey } from '../../policy/endpoint-key.ts';
import { type AnyConnection, clusterConnectionKind } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import type { ClusterPlace } from '../cluster/cluster-place.ts';

/** Both are keys of connections. */
export interface ManagedConnection {
  /** The object that the operator manages. */
  readonly stored: string;
  /** The connection of the files. */
  readonly given: string;
}

/** Rejects with a `KubeError` when that is not known. A note says which objects were not compared. */
export async function managedConnections(
  place: ClusterPlace,
  connections: readonly AnyConnection[],
): Promise<readonly ManagedConnection[]> {
  const stored = await Promise.all([storedConnections(place, connections), storedClusterOnes(place, connections)]);
  const managed = stored.flat().filter(isManaged);
  return connections.flatMap((given) =>
    sameAs(given, managed).map((each) => ({ stored: namespacedName(each), given: namespacedName(given) })),
  );
}

/** The default of the schema is -1. */
function isManaged({ status }: AnyConnection): boolean {
  return status !== undefined && status.observedGeneration >= 0;
}

/** The object of the same name or, without one, those of the same service. */
function sameAs(given: AnyConnection, managed: readonly AnyConnection[]): readonly AnyConnection[] {
  const named = managed.filter((each) => namespacedName(each) === namespacedName(given));
  return named.length > 0 ? named : managed.filter((each) => endpointKey(each) === endpointKey(given));
}

/** Of all namespaces, or of those of the files for a person who may not list them all. */
async function storedConnections(
  place: ClusterPlace,
  connections: readonly AnyConnection[],
): Promise<readonly AnyConnection[]> {
  const list = (namespace?: string) => listStored(place, connectionResource, decodeConnection, namespace);
  return list().catch(async (error: unknown) => {
    if (!isKubeError(error, 'kube-denied')) throw error;
    const named = connections.flatMap(({ metadata }) => metadata.namespace ?? []);
    const namespaces = [...new Set([...named, ...(place.namespace === undefined ? [] : [place.namespace])])];
    place.note(unlisted(`connections of namespaces other than ${namespaces.join(', ')}`));
    return (await Promise.all(namespaces.map(list))).flat();
  });
}

/** All, or those of the files for a person who may not list them. */
async function storedClusterOnes(
  place: ClusterPlace,
  connections: readonly AnyConnection[],
): Promise<readonly AnyConnection[]> {
  return listStored(place, clusterConnectionResource, decodeClusterConnection).catch(async (error: unknown) => {
    if (!isKubeError(error, 'kube-denied')) throw error;
    place.note(unlisted('ClusterRoleAlertConnections'));
    const given = connections.filter(({ kind }) => kind === clusterConnectionKind);
    const resources = createCustomResources(place.transport);
    const read = given.map(({ metadata }) => resources.readConnection(undefined, metadata.name, place.signal));
    return (await Promise.all(read)).filter((each) => each !== undefined);
  });
}

/** None in a cluster that does not have the resource. */
async function listStored(
  { transport, signal, note }: ClusterPlace,
  resource: KubeResource,
  decode: (json: unknown) => DecodedResource<AnyConnection>,
  namespace?: string,
): Promise<readonly AnyConnection[]> {
  try {
    const { items, unreadable } = await listObjects(transport, { resource, namespace, decode, signal });
    for (const { key, path } of unreadable) note(`not compared, because this version cannot read it: ${key}: ${path}`);
    return items;
  } catch (error) {
    if (isKubeError(error, 'kube-not-found')) return [];
    throw error;
  }
}

function unlisted(objects: string): string {
  return `not checked whether an operator manages ${objects} to the same service, because you may not list them.`;
}
