// Lists scopes, each once, within the limits of their connections. A scope that cannot be listed has an error; the others are listed
// all the same.
import { CodedError } from '../../lib/errors.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { ClientOf } from './open-client.ts';
import type { Listing, TokenPlace } from './planned-scope.ts';

export interface ScopeListRequest {
  readonly signal: AbortSignal;
  /** Called after each list. */
  readonly onProgress: (progress: { readonly done: number; readonly all: number }) => void;
}

/** A scope through one connection. */
interface Asked {
  readonly connection: AnyConnection;
  readonly ref: { readonly scope: string };
}

/** In the order of `asked`. Rejects with `usage` for a token that several services would receive, and with `stopped` when the signal aborts. */
export async function listScopes<T extends Asked>(
  asked: readonly T[],
  clientOf: ClientOf,
  { signal, onProgress }: ScopeListRequest,
): Promise<ReadonlyMap<T, Listing>> {
  let done = 0;
  const listings = asked.map(async (each) => {
    const listing = await listingOf(each, clientOf, signal);
    done++;
    onProgress({ done, all: asked.length });
    return [each, listing] as const;
  });
  return new Map(await Promise.all(listings));
}

/** The complete list, or its error. */
async function listingOf({ connection, ref }: Asked, clientOf: ClientOf, signal: AbortSignal): Promise<Listing> {
  let tokenPlace: TokenPlace | undefined;
  try {
    const opened = await clientOf(connection);
    ({ tokenPlace } = opened);
    const { alerts } = await opened.client.listAlerts(ref.scope, { priority: 'high', signal });
    return { alerts };
  } catch (error) {
    if (!(error instanceof CodedError) || signal.aborted || error.code === 'usage') throw error;
    return { error, tokenPlace };
  }
}
