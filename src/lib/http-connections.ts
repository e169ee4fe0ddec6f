// Bounds what the connections of a server cost in memory, whatever their clients read: their number, the bytes that one carries, the
// requests that wait on one, and the time that a client has to take a response. The kernel holds what the client does
// not read, up to the third value of net.ipv4.tcp_wmem (by default 4 MiB) for each connection, and does not report it. Only the end of a
// connection proves that its client has read, so a connection that has carried its share of bytes ends.
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface ConnectionBounds {
  /** A further connection takes the place of the one whose last request is the oldest, of those that are not busy. Absent: no limit. */
  readonly maxConnections?: number;
  /** Number of connections that may carry `largeShareBytes` instead of `shareBytes`. Absent: 0. */
  readonly largeConnections?: number;
  /** Time that a client has to take a response, and to close a connection that has ended; half of it at least. Default: one minute. */
  readonly answerTimeoutMs?: number;
}

/** A connection that has carried as many bytes ends with its next response. */
export const shareBytes = 16_384;
export const largeShareBytes = 16 * 1024 * 1024;

/** Requests of one connection that wait for their responses; a further one closes the connection. */
const mostWaiting = 8;

/**
 * Node parses what it has read, up to 64 KiB, to its end, even after the listener has closed the connection: thousands of requests of
 * several KiB each. As upgrades they cost nothing: Node keeps none.
 */
export class BoundRequest extends IncomingMessage {
  declare private isUpgrade: boolean;

  get upgrade(): boolean {
    return this.isUpgrade;
  }

  set upgrade(isUpgrade: boolean) {
    this.isUpgrade = isUpgrade || this.socket.destroyed;
  }
}

export class HttpConnections {
  readonly #limits: ConnectionBounds;
  readonly #open = new Set<HttpConnection>();
  readonly #large = new Set<HttpConnection>();
  readonly #bySocket = new WeakMap<Duplex, HttpConnection>();
  readonly #byAddress = new Map<string, HttpConnection>();
  /** Of all connections so far, a connection itself counts as one. */
  #requests = 0;
  #isStopping = false;

  constructor(server: Server | TlsServer, limits: ConnectionBounds) {
    this.#limits = limits;
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.#byAddress.get(addressesOf(socket));
      if (connection) this.#use(connection, socket);
    });
    server.on('timeout', (socket: Duplex) => this.of(socket)?.endWhenIdle());
  }

  /** Undefined for a socket of another server, and for a TLS socket until the end of its handshake. */
  of(socket: Duplex): HttpConnection | undefined {
    return this.#bySocket.get(socket);
  }

  /** Passes each request of a connection on after the response to the one before it. */
  inTurn(listener: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      const connection = this.of(incoming.socket);
      if (!connection || connection.isOver || connection.waiting.length >= mostWaiting) {
        connection?.cut();
        return;
      }
      connection.lastRequest = ++this.#requests;
      connection.add(outgoing, () => {
        if (this.#isStopping || !this.#mayCarryMore(connection)) outgoing.setHeader('connection', 'close');
        listener(incoming, outgoing);
      });
    };
  }

  /** Closes the connections whose clients have been slow since the call before. */
  cutSlow(): void {
    for (const connection of this.#open) connection.cutIfSlow();
  }

  /** The next response of each connection is its last. */
  stop(): void {
    this.#isStopping = true;
    for (const { waiting } of this.#open)
      if (waiting[0]?.headersSent === false) waiting[0].setHeader('connection', 'close');
  }

  cutAll(): void {
    for (const connection of this.#open) connection.cut();
  }

  #add(socket: Socket): void {
    const connection = new HttpConnection(socket, ++this.#requests);
    const addresses = addressesOf(socket);
    if (this.#open.size >= (this.#limits.maxConnections ?? Infinity)) this.#cutOldest();
    this.#open.add(connection);
    this.#byAddress.set(addresses, connection);
    this.#use(connection, socket);
    socket.once('close', () => {
      this.#open.delete(connection);
      this.#large.delete(connection);
      if (this.#byAddress.get(addresses) === connection) this.#byAddress.delete(addresses);
    });
  }

  /**
   * Compares them all, because only a new connection above the limit pays for that: a set in the order of the requests would leave garbage
   * with each request, in the part of the heap that V8 collects last.
   */
  #cutOldest(): void {
    let first: HttpConnection | undefined;
    for (const connection of this.#open) if (!first || connection.goesBefore(first)) first = connection;
    if (!first) return;
    this.#open.delete(first);
    first.cut();
  }

  #use(connection: HttpConnection, socket: Socket): void {
    this.#bySocket.set(socket, connection);
    connection.use(socket);
  }

  #mayCarryMore(connection: HttpConnection): boolean {
    const { bytesWritten } = connection;
    if (bytesWritten <= shareBytes) return true;
    if (bytesWritten > largeShareBytes) return false;
    if (!this.#large.has(connection) && this.#large.size >= (this.#limits.largeConnections ?? 0)) return false;
    this.#large.add(connection);
    return true;
  }
}

export class HttpConnection {
  /** The responses that have not ended, in the order of their requests. */
  readonly waiting: ServerResponse[] = [];
  /** No response follows: the client has to close the connection. */
  isOver = false;
  /** The number of its last request, see `HttpConnections`. */
  lastRequest: number;
  readonly #raw: Socket;
  #socket: Socket;
  readonly #deferred: (() => void)[] = [];
  /** What the client was slow with at the last check. */
  #slow: ServerResponse | 'end' | undefined;

  constructor(raw: Socket, lastRequest: number) {
    this.#raw = raw;
    this.lastRequest = lastRequest;
    this.#socket = raw;
  }

  get bytesWritten(): number {
    return this.#raw.bytesWritten;
  }

  /** The server works on a whole request: it does not wait for the client to send or to take anything. */
  get isBusy(): boolean {
    const [first] = this.waiting;
    return first?.req.complete === true && !first.writableEnded;
  }

  /** Whether to close this one rather than the other: one that is not busy, then the one whose last request is older. */
  goesBefore(other: HttpConnection): boolean {
    return this.isBusy === other.isBusy ? this.lastRequest < other.lastRequest : other.isBusy;
  }

  /** From now on the connection is used through `socket`: with TLS another one than at first. */
  use(socket: Socket): void {
    this.#socket = socket;
    // A client that sends its end takes no response. Node would end its side too, and leave to the kernel what the client has not read.
    socket.prependListener('end', () => this.cut());
    // Node calls it after the last response; its own would leave to the kernel what the client has not read.
    socket.destroySoon = () => this.end();
  }

  /** Calls `begin` after the end of the responses that are waiting. */
  add(outgoing: ServerResponse, begin: () => void): void {
    outgoing.on('close', () => {
      this.waiting.shift();
      if (!this.#raw.destroyed && !this.isOver) this.#deferred.shift()?.();
    });
    if (this.waiting.push(outgoing) === 1) begin();
    else this.#deferred.push(begin);
  }

  /** Sends `text` and the end; the client closes. After this turn, because its reads may still `cut`, which an ending socket refuses. */
  end(text = ''): void {
    this.isOver = true;
    void nextTurn().then(() => this.#socket.writable && this.#socket.end(text));
  }

  endWhenIdle(): void {
    if (this.isOver || this.waiting.length > 0) this.cut();
    else this.end();
  }

  /** Closes the connection at once, and drops what the kernel holds of its responses. */
  cut(): void {
    const { writableEnded, writableFinished, writableLength } = this.#socket;
    // libuv refuses to reset a socket that sends its end (with TLS that may wait for the client), and Node then never closes it.
    const isEnding = writableEnded && !writableFinished && writableLength === 0;
    if (!isEnding) this.#raw.resetAndDestroy();
    this.#socket.destroy();
  }

  cutIfSlow(): void {
    const [first] = this.waiting;
    const isUntaken = first?.writableEnded === true && !first.writableFinished;
    const slow = this.isOver ? 'end' : isUntaken ? first : undefined;
    if (slow !== undefined && slow === this.#slow) this.cut();
    this.#slow = slow;
  }
}

/**
 * The same for a TLS socket and the socket below it, and for no other open connection. A client that resets a connection may use its port
 * again before the server has noticed.
 */
function addressesOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}
