// Lists scopes, each once, within the limits of their connections. A scope that cannot be listed has an error; the others are listed
// all the same.
import { type Clock, repeatEvery } from '../../lib/clock.ts';
import { CodedError } from '../../lib/errors.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { ClientOf } from './open-client.ts';
import type { Listing, TokenPlace } from './planned-scope.ts';

export interface ScopeListRequest {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ListProgress) => void;
  /** Undefined for progress after each list. */
  readonly progressEvery?: { readonly ms: number; readonly clock: Clock } | undefined;
}

export interface ListProgress {
  readonly done: number;
  readonly all: number;
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
  { signal, onProgress, progressEvery }: ScopeListRequest,
): Promise<ReadonlyMap<T, Listing>> {
  let done = 0;
  const report = () => onProgress({ done, all: asked.length });
  const stop = progressEvery && repeatEvery(progressEvery.ms, progressEvery.clock, async () => report());
  const listings = asked.map(async (each) => {
    const listing = await listingOf(each, clientOf, signal);
    done++;
    if (!stop) report();
    return [each, listing] as const;
  });
  try {
    return new Map(await Promise.all(listings));
  } finally {
    stop?.();
  }
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
