// The open connections: their number, and which of them makes room for a new one when there are as many as the limit. Without that,
// clients that connect and send nothing would lock out all others.
import type { Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Clock } from '../../lib/clock.ts';
import { clientNetwork } from '../../lib/ip-address.ts';
import type { Logger } from '../../lib/log.ts';
import type { ServiceObserver } from '../observer.ts';
import type { LineMemory } from './access-log.ts';
import type { RequestMemory } from './request-head.ts';
import type { HeldResponse } from './unread-bytes.ts';

/** A connection, whose requests the adapter counts. */
export interface Connection extends RequestMemory, LineMemory {
  /** Responses that have not ended, in the order of their requests. */
  readonly waiting: ServerResponse[];
  /** Begins the requests that wait for earlier ones, in their order. */
  readonly deferred: (() => void)[];
  /** Requests that have arrived whole and are answered. Without one the connection is idle and may make room. */
  answering: number;
  /** When the connection was last active: the number of the event, because only the order matters. */
  lastActive: number;
  /** Responses that the kernel took and that the client may not have read. */
  readonly taken: HeldResponse[];
  /** `queueKey` of the connection; empty before its first large response. */
  queue: string;
  /** Whether the end of the connection releases them. */
  releasesAtEnd: boolean;
  /** Closes the connection and drops what the kernel holds of its responses. */
  cut(): void;
}

interface OpenConnection extends Connection {
  readonly key: string;
  /** The addresses that count as one client. */
  readonly network: string;
  /** During a TLS handshake the socket below it. */
  socket: Socket;
}

/** What the adapter needs of it. */
export type ConnectionTable = Pick<Connections, 'of' | 'touch'>;

export interface ConnectionsDeps {
  /** Further connections take the place of idle ones, or close at once without a response. */
  readonly maxConnections: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: Pick<ServiceObserver, 'connectionsOpen' | 'connectionCut'>;
}

/** Time between two log lines about the limit. */
const reportedEveryMs = 60_000;

export class Connections {
  readonly #deps: ConnectionsDeps;
  readonly #open = new Map<string, OpenConnection>();
  readonly #bySocket = new WeakMap<Duplex, Connection>();
  readonly #perNetwork = new Map<string, number>();
  #events = 0;
  #cuts = { idle: 0, refused: 0 };
  #reportedMs = -Infinity;

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  /** The connection of a request. */
  of(socket: Socket): Connection {
    const known = this.#bySocket.get(socket);
    if (known) return known;
    const connection = newConnection(socket, 0);
    this.#bySocket.set(socket, connection);
    return connection;
  }

  /** The responses of the connection that have not ended, in the order of their requests. */
  unanswered(socket: Duplex): readonly ServerResponse[] {
    return this.#bySocket.get(socket)?.waiting ?? [];
  }

  /** The connection had a response. */
  touch(connection: Connection): void {
    connection.lastActive = this.#events += 1;
  }

  /** Counts the connections of the server from now on. */
  watch(server: Server | TlsServer): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.#open.get(keyOf(socket));
      if (!connection) return;
      connection.socket = socket;
      this.#bySocket.set(socket, connection);
    });
  }

  #add(socket: Socket): void {
    const network = clientNetwork(socket.remoteAddress ?? '');
    if (this.#open.size >= this.#deps.maxConnections && !this.#makeRoomFor(network)) {
      socket.destroy();
      this.#countCut('refused');
      return;
    }
    const key = keyOf(socket);
    const earlier = this.#open.get(key);
    if (earlier) this.#remove(earlier);
    const connection = { ...newConnection(socket, (this.#events += 1)), key, network, socket };
    this.#open.set(key, connection);
    this.#bySocket.set(socket, connection);
    this.#perNetwork.set(network, this.#countOf(network) + 1);
    this.#deps.observer.connectionsOpen(this.#open.size);
    socket.once('close', () => this.#remove(connection));
  }

  #remove(connection: OpenConnection): void {
    const { key, network } = connection;
    if (this.#open.get(key) !== connection) return;
    this.#open.delete(key);
    const left = this.#countOf(network) - 1;
    if (left > 0) this.#perNetwork.set(network, left);
    else this.#perNetwork.delete(network);
    this.#deps.observer.connectionsOpen(this.#open.size);
  }

  #countOf(network: string): number {
    return this.#perNetwork.get(network) ?? 0;
  }

  /** False when only clients with fewer connections than the new one have idle ones. */
  #makeRoomFor(network: string): boolean {
    const least = this.#countOf(network);
    let found: OpenConnection | undefined;
    for (const each of this.#open.values()) {
      const mayGo = each.answering === 0 && this.#countOf(each.network) >= least;
      if (mayGo && (!found || this.#goesBefore(each, found))) found = each;
    }
    if (!found) return false;
    found.socket.destroy();
    this.#remove(found);
    this.#countCut('idle');
    return true;
  }

  /** The client with the most connections loses the one that has been idle for longest. */
  #goesBefore(one: OpenConnection, other: OpenConnection): boolean {
    const more = this.#countOf(one.network) - this.#countOf(other.network);
    return more > 0 || (more === 0 && one.lastActive < other.lastActive);
  }

  #countCut(reason: 'idle' | 'refused'): void {
    const { clock, log, observer, maxConnections } = this.#deps;
    observer.connectionCut(reason);
    this.#cuts[reason] += 1;
    const nowMs = clock.monotonic();
    if (nowMs - this.#reportedMs < reportedEveryMs) return;
    this.#reportedMs = nowMs;
    log.warn({ maxConnections, ...this.#cuts }, 'connection limit reached');
    this.#cuts = { idle: 0, refused: 0 };
  }
}

function newConnection(socket: Socket, lastActive: number): Connection {
  const cut = () => void socket.resetAndDestroy();
  const memory: RequestMemory & LineMemory = { head: undefined, target: '', line: undefined };
  return {
    waiting: [],
    deferred: [],
    answering: 0,
    lastActive,
    taken: [],
    queue: '',
    releasesAtEnd: false,
    ...memory,
    cut,
  };
}

/**
 * The same for a TLS socket and the socket below it, and for no other open connection. A client that resets a connection may use its port
 * again before the service has noticed.
 */
function keyOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}
