// Lists scopes, each once, within the limits of their connections. A scope that cannot be listed has an error; the others are listed
// all the same.
import { CodedError } from '../../lib/errors.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import { ClientSet, type ServiceAccess } from './open-client.ts';
import type { Listing, TokenPlace } from './planned-scope.ts';

export interface ListProgress {
  readonly done: number;
  readonly all: number;
}

/** A scope through one connection. */
interface Asked {
  readonly connection: AnyConnection;
  readonly scope: string;
}

/** In the order of `asked`. Rejects with `stopped` when the signal aborts. */
export async function listScopes(
  asked: readonly Asked[],
  clients: ClientSet,
  signal: AbortSignal,
  onProgress: (progress: ListProgress) => void = () => undefined,
): Promise<readonly Listing[]> {
  let done = 0;
  return Promise.all(
    asked.map(async (each) => {
      const listing = await listingOf(each, clients, signal);
      onProgress({ done: ++done, all: asked.length });
      return listing;
    }),
  );
}

/** The complete list, or its error. */
async function listingOf({ connection, scope }: Asked, clients: ClientSet, signal: AbortSignal): Promise<Listing> {
  let tokenPlace: TokenPlace | undefined;
  try {
    const opened = await clients.open(connection);
    ({ tokenPlace } = opened);
    const { alerts } = await opened.client.listAlerts(scope, { priority: 'high', signal });
    return { alerts };
  } catch (error) {
    if (!(error instanceof CodedError) || signal.aborted || error.code === 'usage') throw error;
    return { error, tokenPlace };
  }
}

/** Lists scopes through one connection. By scope. A scope that cannot be listed has an error. Rejects with `stopped` when the signal aborts. */
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
