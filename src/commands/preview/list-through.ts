// Lists the alerts of scopes through one connection, within its limits.
import type { AnyConnection } from '../../policy/resources.ts';
import { ClientSet } from './client-set.ts';
import { type ListProgress, listScopes } from './list-scopes.ts';
import type { ServiceAccess } from './open-client.ts';
import type { Listing } from './planned-scope.ts';

/** By scope. A scope that cannot be listed has an error. Rejects with `stopped` when the signal aborts. */
export async function listThrough(
  scopes: readonly string[],
  connection: AnyConnection,
  access: ServiceAccess,
  signal: AbortSignal,
  onProgress: (progress: ListProgress) => void,
): Promise<ReadonlyMap<string, Listing>> {
  const clients = new ClientSet([connection], access);
  try {
    const asked = scopes.map((scope) => ({ connection, scope }));
    const listings = await listScopes(asked, clients, signal, onProgress);
    return new Map(listings.map((listing, index) => [scopes[index] ?? '', listing]));
  } finally {
    await clients.stop();
  }
}
