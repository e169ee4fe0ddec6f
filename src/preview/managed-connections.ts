// Which connections an operator of a cluster manages: those of the same key whose status it has written. Its Lease does not count: an
// operator without leader election has none, and most people may not read it.
import type { ClusterPlace } from '../cluster/cluster-place.ts';
import { createCustomResources } from '../kube/custom-resources.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { namespacedName } from '../policy/scope-ref.ts';

/** Their keys. Rejects with a `KubeError`. */
export async function managedConnections(
  { transport, signal }: ClusterPlace,
  connections: readonly AnyConnection[],
): Promise<readonly string[]> {
  const resources = createCustomResources(transport);
  const stored = await Promise.all(
    connections.map(({ metadata }) => resources.readConnection(metadata.namespace, metadata.name, signal)),
  );
  return stored
    .filter((each) => each !== undefined)
    .filter(isManaged)
    .map(namespacedName);
}

/** The default of the schema is -1. */
function isManaged({ status }: AnyConnection): boolean {
  return status !== undefined && status.observedGeneration >= 0;
}
