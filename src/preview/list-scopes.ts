// Lists the scopes of a preview, each once, within the limits of their connections. A scope that cannot be listed has an error; the
// others are listed all the same.
import { CodedError } from '../lib/errors.ts';
import type { Listing } from '../plan/preview-plan.ts';
import { isListed, type PreviewScope, scopeKey } from '../plan/preview-scopes.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { type OpenedClient, openClient, type ServiceAccess } from './open-client.ts';

export interface ListProgress {
  readonly done: number;
  readonly all: number;
}

/** By `scopeKey`; nothing for scopes that the operator would not list. Rejects with `stopped` when the signal aborts. */
export async function listScopes(
  scopes: readonly PreviewScope[],
  access: ServiceAccess,
  signal: AbortSignal,
  onProgress: (progress: ListProgress) => void = () => undefined,
): Promise<ReadonlyMap<string, Listing>> {
  const due = scopes.filter(isListed);
  const clients = new ClientSet(connectionsOf(due), access);
  const listings = new Map<string, Listing>();
  try {
    await Promise.all(
      due.map(async ({ ref, connection }) => {
        if (!connection) return;
        listings.set(scopeKey(ref), await listing(clients, connection, ref.scope, signal));
        onProgress({ done: listings.size, all: due.length });
      }),
    );
  } finally {
    await clients.stop();
  }
  return listings;
}

async function listing(
  clients: ClientSet,
  connection: AnyConnection,
  scope: string,
  signal: AbortSignal,
): Promise<Listing> {
  try {
    const { client } = clients.of(connection);
    const { alerts } = await client.listAlerts(scope, { priority: 'high', signal });
    return { alerts };
  } catch (error) {
    if (!(error instanceof CodedError) || signal.aborted || error.code === 'usage') throw error;
    return { error };
  }
}

/** One client for each connection, opened when it is first needed. */
export class ClientSet {
  readonly #connections: readonly AnyConnection[];
  readonly #access: ServiceAccess;
  readonly #opened = new Map<AnyConnection, OpenedClient>();

  /** `connections`: all that the command uses. */
  constructor(connections: readonly AnyConnection[], access: ServiceAccess) {
    this.#connections = connections;
    this.#access = access;
  }

  /** Throws as `openClient`. */
  of(connection: AnyConnection): OpenedClient {
    const opened = this.#opened.get(connection) ?? openClient(connection, this.#connections, this.#access);
    this.#opened.set(connection, opened);
    return opened;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#opened.values()].map((opened) => opened.stop()));
  }
}

/** Each once. */
export function connectionsOf(scopes: readonly PreviewScope[]): readonly AnyConnection[] {
  return [...new Set(scopes.flatMap(({ connection }) => connection ?? []))];
}
