// Starts and stops the HTTP servers of the alerts service, the probes and the metrics. The caller routes the requests.
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

import { CodedError } from './errors.ts';

/** An address to listen on. An empty `host`, as in `:8080`, means every interface. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Parses `HOST:PORT`, `:PORT` or `[IPV6]:PORT`; `undefined` for any other text. Port 0 picks a free port. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return undefined;
  return { host: match[1] ?? match[2] ?? '', port };
}

/** True for an unspecified address, which a server can listen on and a client cannot connect to. */
export function isEveryInterface(host: string): boolean {
  return host === '' || (isIP(host) !== 0 && /^[0:.]+$/.test(host));
}

export interface RunningServer {
  /** `http://HOST:PORT` or `https://HOST:PORT`, with the actual port. */
  readonly url: string;
  readonly port: number;
  /** Uses this certificate for new connections. Throws when it is invalid, and keeps the previous one. Only with `tls`. */
  replaceCertificate(pair: CertificatePair): void;
  /** Stops accepting connections, waits up to `graceMs` for running requests, then aborts them. Idempotent. */
  stop(graceMs?: number): Promise<void>;
}

/** Certificate chain and private key, in PEM. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** The status of a request that never reaches the listener: malformed, timed out, too large headers, or CONNECT. */
export type ClientErrorStatus = 400 | 405 | 408 | 431;

export interface ServerOptions {
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxHeaderBytes?: number;
  /** Closes a connection that is idle for this time. Absent: never. */
  readonly idleTimeoutMs?: number;
  readonly maxConnections?: number;
  /** Absent means plain HTTP. */
  readonly tls?: CertificatePair;
  /** Called when a TLS handshake fails. Only with `tls`. */
  readonly onHandshakeFailed?: (error: Error) => void;
  /** The JSON body of the response to such a request. Absent: Node's default response without a body. */
  readonly clientErrorBody?: (status: ClientErrorStatus) => string;
}

/** Starts to listen. Throws `CodedError` `local` when the address is in use or not available. */
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

/** Overrides Node's defaults, flags and environment variables. */
const tlsLimits = { minVersion: 'TLSv1.2' } as const;

/** Throws `CodedError` `local` when the certificate or the key is invalid. */
function createServer(options: ServerOptions, listener: RequestListener): Server | TlsServer {
  const headersTimeout = options.headersTimeoutMs ?? 10_000;
  const limits = {
    headersTimeout,
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    // Node checks for timed-out requests at this interval only, every 30 s by default.
    connectionsCheckingInterval: Math.ceil(headersTimeout / 4),
    maxHeaderSize: options.maxHeaderBytes ?? 16_384,
    // Otherwise Node itself responds to a request without Host, with no body.
    requireHostHeader: false,
  };
  if (!options.tls) return createPlainServer(limits, listener);
  const { certificate: cert, key } = options.tls;
  try {
    return createTlsServer({ ...limits, ...tlsLimits, cert, key, handshakeTimeout: limits.headersTimeout }, listener);
  } catch (cause) {
    throw new CodedError('local', 'The certificate and the key cannot be used', { cause });
  }
}

/** Responds as Node does by default, but with a body. Writes nothing into a response that has started. */
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
  // CONNECT is not supported; by default Node would close the socket without a response.
  server.on('connect', (_request, socket: Duplex) => {
    if (mayAnswer(unanswered(socket), 405)) endWith(socket, 405, clientErrorBody(405));
    else socket.destroy();
  });
  // A server may ignore an unknown expectation (RFC 9110 section 10.1.1); Node would refuse it without a body.
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

/** True for a TLS socket during its handshake: a write to it would wait for ever, and so would its end. */
function trackHandshakes(server: Server | TlsServer): (socket: Duplex) => boolean {
  const done = new WeakSet<Duplex>();
  server.on('secureConnection', (socket: TLSSocket) => done.add(socket));
  return (socket) => socket instanceof TLSSocket && !done.has(socket);
}

/** The responses of a socket that have not ended, in the order of their requests. */
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

/**
 * False when a client could take the error response for the response to an earlier request. A timeout while the only open request
 * still sends its body belongs to that request.
 */
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
      reject(new CodedError('local', `Cannot listen on ${address.host}:${address.port}`, { cause }));
    });
    const bound = () => resolve();
    if (address.host === '') server.listen(address.port, bound);
    else server.listen(address.port, address.host, bound);
  });
}

/** Node's own list lacks the connections that are still in their TLS handshake. */
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
    // Also close the connections that become idle from now on.
    server.keepAliveTimeout = 1;
    server.keepAliveTimeoutBuffer = 0;
  });
}
