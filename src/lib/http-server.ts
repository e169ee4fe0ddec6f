// Starts and stops the HTTP servers of the alerts service, the probes and the metrics. The caller routes the requests.
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { LocalError } from './command-errors.ts';
import { BoundRequest, HttpConnections, type ConnectionBounds } from './http-connections.ts';
import { formatListenAddress, reachableHost, type ListenAddress } from './listen-address.ts';
import { respondToUnroutable, type AnswerClientError } from './unroutable-requests.ts';

export interface RunningServer {
  /** `http://HOST:PORT` or `https://HOST:PORT`, with the actual port, and a loopback address for every interface. */
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

/** A request has far fewer headers. Each costs more memory than its bytes, so that 16 KiB of short ones would cost a hundred. */
export const mostHeaders = 100;

export interface ServerOptions extends ConnectionBounds {
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxHeaderBytes?: number;
  /**
   * Closes a connection on which no data moves for this time, and one second later after a response, whose Keep-Alive header names
   * the time. Absent: never, but Node's default of 5 s after a response.
   */
  readonly idleTimeoutMs?: number;
  /** The listener sends 100 itself. Absent: Node sends it to each client that waits for it. */
  readonly listenerContinues?: boolean;
  /** Absent means plain HTTP. */
  readonly tls?: CertificatePair;
  /** Called when a TLS handshake fails. Only with `tls`. */
  readonly onHandshakeFailed?: (error: Error) => void;
  /** The responses to requests that never reach the listener. Absent: without a body. */
  readonly answerUnroutable?: AnswerClientError;
}

/** Starts to listen. Throws `LocalError` when the address is in use or not available. */
export async function startHttpServer(
  address: ListenAddress,
  listener: RequestListener,
  options: ServerOptions = {},
): Promise<RunningServer> {
  const server = createServer(options);
  const connections = new HttpConnections(server, options);
  server.on('request', connections.inTurn(listener));
  const check = setInterval(() => connections.cutSlow(), (options.answerTimeoutMs ?? 60_000) / 2);
  check.unref();
  server.on('close', () => clearInterval(check));
  server.setTimeout(options.idleTimeoutMs ?? 0);
  server.keepAliveTimeout = options.idleTimeoutMs ?? server.keepAliveTimeout;
  // Node 26 refuses a request with more (431); Node 24 ignores them, but for some in `rawHeaders`.
  server.maxHeadersCount = mostHeaders;
  // A server may ignore an unknown expectation (RFC 9110 section 10.1.1); Node would refuse it itself, outside the bounds of the connection.
  server.on('checkExpectation', (...pair) => server.emit('request', ...pair));
  if (options.listenerContinues) server.on('checkContinue', (...pair) => server.emit('request', ...pair));
  respondToUnroutable(server, connections, options.answerUnroutable);
  if (options.onHandshakeFailed) server.on('tlsClientError', options.onHandshakeFailed);
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  const scheme = options.tls ? 'https' : 'http';
  const written = `${scheme}://${formatListenAddress({ host: reachableHost(address.host), port })}`;
  // As clients write it: without a default port, in lower case. An address with a zone has no such form.
  const url = URL.parse(written)?.origin ?? written;
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

/** Throws `LocalError` when the certificate or the key is invalid. */
function createServer(options: ServerOptions): Server | TlsServer {
  const headersTimeout = options.headersTimeoutMs ?? 10_000;
  const limits = {
    headersTimeout,
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    // Node checks for timed-out requests at this interval only, every 30 s by default.
    connectionsCheckingInterval: Math.ceil(headersTimeout / 4),
    maxHeaderSize: options.maxHeaderBytes ?? 16_384,
    IncomingMessage: BoundRequest,
    // Otherwise Node itself responds to a request without Host, with no body.
    requireHostHeader: false,
    // Saves the stream of a body that a request does not have. Such a request never emits `end`; Node 24 ignores the option.
    optimizeEmptyRequests: true,
  };
  if (!options.tls) return createPlainServer(limits);
  const { certificate: cert, key } = options.tls;
  try {
    return createTlsServer({ ...limits, ...tlsLimits, cert, key, handshakeTimeout: limits.headersTimeout });
  } catch (cause) {
    throw new LocalError('The certificate and the key cannot be used', { cause });
  }
}

function listen(server: Server | TlsServer, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new LocalError(`Cannot listen on ${address.host}:${address.port}`, { cause }));
    });
    const bound = () => resolve();
    if (address.host === '') server.listen(address.port, bound);
    else server.listen(address.port, address.host, bound);
  });
}

function close(server: Server | TlsServer, connections: HttpConnections, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => connections.cutAll(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    connections.stop();
  });
}
