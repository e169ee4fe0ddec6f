// The clients of one command: one for each connection, opened when it is first needed, so that all requests of a connection share its
// limits.
import type { AlertClient } from '../../operator/alert-client/alert-client.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import { type OpenedClient, openClient, type ServiceAccess } from './open-client.ts';

export class ClientSet {
  readonly #connections: readonly AnyConnection[];
  readonly #access: ServiceAccess;
  readonly #opened = new Map<AnyConnection, Promise<OpenedClient>>();

  /** `connections`: all that the command uses. */
  constructor(connections: readonly AnyConnection[], access: ServiceAccess) {
    this.#connections = connections;
    this.#access = access;
  }

  /** Rejects as `openClient`. */
  async of(connection: AnyConnection): Promise<AlertClient> {
    return (await this.open(connection)).client;
  }

  /** As `of`, with what else is known of the client. */
  open(connection: AnyConnection): Promise<OpenedClient> {
    const opened = this.#opened.get(connection) ?? openClient(connection, this.#connections, this.#access);
    this.#opened.set(connection, opened);
    return opened;
  }

  /** Cancels requests in flight. */
  async stop(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    await Promise.all(opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value.stop()] : [])));
  }
}
