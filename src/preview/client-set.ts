// The clients of one command: one for each connection, opened when it is first needed, so that all requests of a connection share its
// limits.
import type { AlertClient } from '../alert-client/alert-client.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { type OpenedClient, openClient, type ServiceAccess } from './open-client.ts';

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
  of(connection: AnyConnection): AlertClient {
    const opened = this.#opened.get(connection) ?? openClient(connection, this.#connections, this.#access);
    this.#opened.set(connection, opened);
    return opened.client;
  }

  /** Cancels requests in flight. */
  async stop(): Promise<void> {
    await Promise.all([...this.#opened.values()].map((opened) => opened.stop()));
  }
}
