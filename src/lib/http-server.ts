// Listening and stopping, the same for the alerts service, the probes and the metrics. Routing is the caller's.
import {
  createServer as createPlainServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { isIP, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

import { OperatorError } from './errors.ts';

/** A bound address: `host` may be empty in the text form (`:8080`), which means every interface. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `HOST:PORT`, `:PORT` or `[IPV6]:PORT`; `undefined` when it is none of them. Port 0 picks a free one. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return undefined;
  return { host: match[1] ?? match[2] ?? '', port };
}

/** A host to listen on, not one that a client could go to. */
export function isEveryInterface(host: string): boolean {
  return host === '' || (isIP(host) !== 0 && /^[0:.]+$/.test(host));
}

export interface RunningServer {
  /** `http://HOST:PORT`, or `https:`, with the real port. */
  readonly url: string;
  readonly port: number;
  /** New connections get this certificate. Throws when it is none, and keeps the one before. Only with `tls`. */
  replaceCertificate(pair: CertificatePair): void;
  /** Stops accepting, lets running requests finish for `graceMs`, then cuts them off. Repetition is harmless. */
  stop(graceMs?: number): Promise<void>;
}

/** In PEM. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** What Node has no request for: it was broken, too slow, or its headers were too large. */
export type ClientErrorStatus = 400 | 405 | 408 | 431;

export interface ServerOptions {
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxHeaderBytes?: number;
  /** A connection on which nothing moves for so long is closed. Absent: never. */
  readonly idleTimeoutMs?: number;
  readonly maxConnections?: number;
  /** Absent means plain HTTP. */
  readonly tls?: CertificatePair;
  /** Hears of connections that came to no TLS. Only with `tls`. */
  readonly onHandshakeFailed?: (error: Error) => void;
  /** The JSON body for such a request; absent means an answer without one. */
  readonly clientErrorBody?: (status: ClientErrorStatus) => string;
}

/** Starts to listen. Throws `OperatorError` `local` when the address is taken or not ours. */
export async function startHttpServer(
  address: ListenAddress,
  listener: RequestListener,
  options: ServerOptions = {},
): Promise<RunningServer> {
  const server = createServer(options, listener);
  server.setTimeout(options.idleTimeoutMs ?? 0);
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;
  if (options.clientErrorBody) answerBroken(server, options.clientErrorBody);
  if (options.onHandshakeFailed) server.on('tlsClientError', options.onHandshakeFailed);
  const connections = trackConnections(server);
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  const host = address.host === '' ? '127.0.0.1' : address.host;
  const scheme = options.tls ? 'https' : 'http';
  const url = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  let stopping: Promise<void> | undefined;
  const replaceCertificate = ({ certificate: cert, key }: CertificatePair) => {
    if ('setSecureContext' in server) server.setSecureContext({ ...tlsLimits, cert, key });
  };
  return {
    url,
    port,
    replaceCertificate,
    stop: (graceMs = 1000) => (stopping ??= close(server, connections, graceMs)),
  };
}

/** Whatever Node is told by default, by flag or in the environment. */
const tlsLimits = { minVersion: 'TLSv1.2' } as const;

/** Throws `OperatorError` `local` when the certificate and the key are none. */
function createServer(options: ServerOptions, listener: RequestListener): Server | TlsServer {
  const headersTimeout = options.headersTimeoutMs ?? 10_000;
  const limits = {
    headersTimeout,
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    // Node looks for requests whose time is over only so often, by itself every 30 s.
    connectionsCheckingInterval: Math.ceil(headersTimeout / 4),
    maxHeaderSize: options.maxHeaderBytes ?? 16_384,
    // Node would answer by itself and without a body.
    requireHostHeader: false,
  };
  if (!options.tls) return createPlainServer(limits, listener);
  const { certificate: cert, key } = options.tls;
  try {
    return createTlsServer({ ...limits, ...tlsLimits, cert, key, handshakeTimeout: limits.headersTimeout }, listener);
  } catch (cause) {
    throw new OperatorError('local', 'The certificate and the key cannot be used', { cause });
  }
}

/** As Node does by itself, with a body. Nothing is written into an answer that is on its way. */
function answerBroken(server: Server | TlsServer, clientErrorBody: (status: ClientErrorStatus) => string): void {
  const unanswered = trackUnanswered(server);
  const isShakingHands = trackHandshakes(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = brokenStatuses[error.code ?? ''] ?? 400;
    if (
      isShakingHands(socket) ||
      !socket.writable ||
      error.code === 'ECONNRESET' ||
      !mayAnswer(unanswered(socket), status)
    ) {
      socket.destroy();
      return;
    }
    endWith(socket, status, clientErrorBody(status));
  });
  // Nobody is connected to anything here; Node would hang up without a word.
  server.on('connect', (_request, socket: Duplex) => {
    if (mayAnswer(unanswered(socket), 405)) endWith(socket, 405, clientErrorBody(405));
    else socket.destroy();
  });
  // An expectation that is not known may be passed over (RFC 9110 section 10.1.1); Node would refuse it without a body.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
}

function endWith(socket: Duplex, status: ClientErrorStatus, body: string): void {
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** A socket of TLS before it can carry anything: what is written to it waits for ever, and so would its end. */
function trackHandshakes(server: Server | TlsServer): (socket: Duplex) => boolean {
  const done = new WeakSet<Duplex>();
  server.on('secureConnection', (socket: TLSSocket) => done.add(socket));
  return (socket) => socket instanceof TLSSocket && !done.has(socket);
}

/** The requests of a connection, in their order, whose answers have not ended. */
function trackUnanswered(server: Server | TlsServer): (socket: Duplex) => ReadonlySet<ServerResponse> {
  const none: ReadonlySet<ServerResponse> = new Set();
  const bySocket = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on('request', ({ socket }, outgoing) => {
    const ofSocket = bySocket.get(socket) ?? new Set();
    bySocket.set(socket, ofSocket.add(outgoing));
    outgoing.once('close', () => ofSocket.delete(outgoing));
  });
  return (socket) => bySocket.get(socket) ?? none;
}

/** An answer to what is broken must not be taken for that of a request before it. A slow body is of the request that waits for it. */
function mayAnswer(unanswered: ReadonlySet<ServerResponse>, status: ClientErrorStatus): boolean {
  const [first] = unanswered;
  if (!first) return true;
  return status === 408 && unanswered.size === 1 && !first.headersSent && !first.req.complete;
}

const brokenStatuses: Readonly<Record<string, ClientErrorStatus>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function listen(server: Server | TlsServer, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new OperatorError('local', `Cannot listen on ${address.host}:${address.port}`, { cause }));
    });
    const bound = () => resolve();
    if (address.host === '') server.listen(address.port, bound);
    else server.listen(address.port, address.host, bound);
  });
}

/** Node's own list has no connection that is still shaking hands. */
function trackConnections(server: Server | TlsServer): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

function close(server: Server | TlsServer, connections: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
      for (const socket of connections) socket.destroy();
    }, graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
    // And those that become idle from now on; nobody waits for a next request on them.
    server.keepAliveTimeout = 1;
    server.keepAliveTimeoutBuffer = 0;
  });
}
