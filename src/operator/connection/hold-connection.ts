// Adds and removes the finalizer of a connection.
import { finalizersOf, hasFinalizer } from '../../policy/deletion.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { ClusterPort } from '../ports.ts';

/**
 * Resolves with the connection that has the finalizer or lacks it, as asked. The API server takes no new finalizer for an object that is
 * being deleted: there it was removed by hand.
 */
export async function holdConnection(
  cluster: Pick<ClusterPort, 'connections' | 'replaceFinalizers'>,
  connection: AnyConnection,
  isHeld: boolean,
  signal: AbortSignal,
): Promise<AnyConnection> {
  const isEnding = connection.metadata.deletionTimestamp !== undefined;
  if (hasFinalizer(connection) === isHeld || (isHeld && isEnding)) return connection;
  const stored = await cluster.replaceFinalizers(connection, finalizersOf(connection, isHeld), signal);
  // The object that goes with its last finalizer must not come back into the cache.
  if (!isEnding) cluster.connections.remember(stored);
  return stored;
}
