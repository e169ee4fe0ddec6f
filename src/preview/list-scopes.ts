// Lists the scopes of a preview, each once, within the limits of their connections. A scope that cannot be listed has an error; the
// others are listed all the same.
import { CodedError } from '../lib/errors.ts';
import type { Listing, TokenPlace } from '../plan/preview-plan.ts';
import { isListed, type PreviewScope, scopeKey } from '../plan/preview-scopes.ts';
import type { AnyConnection } from '../policy/resources.ts';
import type { ClientSet } from './client-set.ts';

export interface ListProgress {
  readonly done: number;
  readonly all: number;
}

/** By `scopeKey`; nothing for scopes that the operator would not list. Rejects with `stopped` when the signal aborts. */
export async function listScopes(
  scopes: readonly PreviewScope[],
  clients: ClientSet,
  signal: AbortSignal,
  onProgress: (progress: ListProgress) => void = () => undefined,
): Promise<ReadonlyMap<string, Listing>> {
  const due = scopes.filter(isListed);
  const listings = new Map<string, Listing>();
  await Promise.all(
    due.map(async ({ ref, connection }) => {
      if (!connection) return;
      listings.set(scopeKey(ref), await listingOf(clients, connection, ref.scope, signal));
      onProgress({ done: listings.size, all: due.length });
    }),
  );
  return listings;
}

/** The complete list, or its error. */
export async function listingOf(
  clients: ClientSet,
  connection: AnyConnection,
  scope: string,
  signal: AbortSignal,
): Promise<Listing> {
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

/** Each once. */
export function connectionsOf(scopes: readonly PreviewScope[]): readonly AnyConnection[] {
  return [...new Set(scopes.flatMap(({ connection }) => connection ?? []))];
}
