// Lists the alerts of scopes through one connection, within its limits.
import type { Listing } from '../plan/preview-plan.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { ClientSet } from './client-set.ts';
import { listingOf, type ListProgress } from './list-scopes.ts';
import type { ServiceAccess } from './open-client.ts';

/** In the order of the scopes. A scope that cannot be listed has an error. Rejects with `stopped` when the signal aborts. */
export async function listThrough(
  scopes: readonly string[],
  connection: AnyConnection,
  access: ServiceAccess,
  signal: AbortSignal,
  onProgress: (progress: ListProgress) => void,
): Promise<ReadonlyMap<string, Listing>> {
  const clients = new ClientSet([connection], access);
  let done = 0;
  try {
    const listed = scopes.map(async (scope) => {
      const listing = await listingOf(clients, connection, scope, signal);
      onProgress({ done: ++done, all: scopes.length });
      return [scope, listing] as const;
    });
    return new Map(await Promise.all(listed));
  } finally {
    await clients.stop();
  }
}
