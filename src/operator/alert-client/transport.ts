// The sockets of one connection: its own undici Agent, HTTP/1.1, TLS 1.2 or later, keep-alive, no redirects. The connector
// checks addresses after name resolution, so that a second lookup cannot replace them, and reaches a host through a proxy in a tunnel.
import { X509Certificate } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';

import { Agent, buildConnector, type Dispatcher } from 'undici';

import { AlertsError } from '../../alerts/alerts-error.ts';
import { type Clock, within } from '../../lib/clock.ts';
import { StoppedError } from '../../lib/errors.ts';
import { portOf, type ProxiedTarget, type Proxies, type Proxy, proxyFor } from '../../lib/proxy.ts';
import { isPrivateName, isPublicAddress, type RulesOwner } from './endpoint.ts';
import { type HttpRequest, type HttpResponse, networkCause, networkFailure, sendHttp } from './http-call.ts';

/** Sends requests without interpreting them. */
export interface Transport {
  /** Throws `AlertsError`: `service-unreachable`, `service-protocol`, `tls-failed`, `endpoint-invalid`; or `StoppedError`. */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Cancels requests in flight. Idempotent. */
  stop(): Promise<void>;
}

export interface TransportOptions {
  readonly clock: Clock;
  /** For a whole request: connecting, headers and body. */
  readonly requestTimeoutMs: number;
  /** Sockets for each origin. */
  readonly maxConcurrent: number;
  readonly allowPrivateEndpoints: boolean;
  /** Default: the operator. */
  readonly rulesOwner?: RulesOwner | undefined;
  /** Replaces the system's trust store. PEM, one or more certificates. */
  readonly caBundle?: string | undefined;
  /** Absent: every host is reached directly. */
  readonly proxies?: Proxies | undefined;
  /** Name resolution; default: the system's. */
  readonly lookup?: LookupFunction | undefined;
  /** Replaces the sockets in a simulation. Destroyed with the transport. */
  readonly dispatcher?: Dispatcher | undefined;
}

const longestConnectMs = 10_000;
const idleSocketMs = 4000;
const maxHeaderBytes = 16_384;

/** Opens no socket before the first request. Throws `tls-failed` when the CA bundle is invalid. */
export function createAlertTransport(options: TransportOptions): Transport {
  const { clock, requestTimeoutMs } = options;
  const life = new AbortController();
  const dispatcher = options.dispatcher ?? createAgent(options, life.signal);
  let stopping: Promise<void> | undefined;
  return {
    send(request) {
      if (stopping !== undefined || request.signal.aborted) return Promise.reject(new StoppedError());
      const timeoutMs = Math.min(requestTimeoutMs, request.timeoutMs ?? Infinity);
      return sendHttp(dispatcher, clock, timeoutMs, request);
    },
    stop() {
      life.abort();
      return (stopping ??= dispatcher.destroy(new StoppedError()));
    },
  };
}

function createAgent(options: TransportOptions, signal: AbortSignal): Agent {
  return new Agent({
    allowH2: false,
    connections: options.maxConcurrent,
    pipelining: 1,
    connect: createConnector(options, signal),
    headersTimeout: options.requestTimeoutMs,
    bodyTimeout: options.requestTimeoutMs,
    keepAliveTimeout: idleSocketMs,
    maxHeaderSize: maxHeaderBytes,
  });
}

function createConnector(options: TransportOptions, signal: AbortSignal): buildConnector.connector {
  const connect = throughProxies(options, createDirectConnector(options), signal);
  if (options.allowPrivateEndpoints) return connect;
  return (target, callback) => {
    // An IP address in the URL needs no lookup, so it is checked here.
    if (isIP(target.hostname) === 0 || isPublicAddress(target.hostname)) connect(target, callback);
    else queueMicrotask(() => callback(refusedAddress(options), null));
  };
}

/** Only the proxy knows the addresses of a name that it resolves, so the name itself is checked. */
function throughProxies(
  { proxies, clock, requestTimeoutMs, allowPrivateEndpoints, rulesOwner }: TransportOptions,
  connect: buildConnector.connector,
  signal: AbortSignal,
): buildConnector.connector {
  if (proxies === undefined) return connect;
  const options = { clock, timeoutMs: connectTimeoutMs(requestTimeoutMs), signal };
  return (target, onConnected) => {
    const proxy = proxyFor(proxies, target);
    if (proxy === undefined) {
      connect(target, onConnected);
      return;
    }
    if (!allowPrivateEndpoints && isIP(target.hostname) === 0 && isPrivateName(target.hostname)) {
      queueMicrotask(() => onConnected(refusedName({ rulesOwner }), null));
      return;
    }
    openTunnel(proxy, target, options).then(
      (socket) =>
        target.protocol === 'https:'
          ? connect({ ...target, httpSocket: socket }, naming(proxy, onConnected))
          : onConnected(null, socket),
      (error: Error) => onConnected(error, null),
    );
  };
}

/** A failure inside of the tunnel names its proxy, which may be what presents the certificate. */
function naming(proxy: Proxy, onConnected: buildConnector.Callback): buildConnector.Callback {
  return (...[error, socket]) =>
    error === null ? onConnected(null, socket) : onConnected(networkFailure(error, proxy.name), null);
}

function connectTimeoutMs(requestTimeoutMs: number): number {
  return Math.min(longestConnectMs, requestTimeoutMs);
}

function createDirectConnector(options: TransportOptions): buildConnector.connector {
  const lookup = options.lookup ?? systemLookup;
  return buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs(options.requestTimeoutMs),
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(options.caBundle !== undefined && { ca: readCaBundle(options.caBundle) }),
    }),
    rejectUnauthorized: true,
    lookup: options.allowPrivateEndpoints ? lookup : publicOnly(lookup, options),
  });
}

/** Drops addresses that are not public, and rejects a name that has no other. */
function publicOnly(lookup: LookupFunction, rules: Owned): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      if (error) return callback(error, address, family);
      if (!Array.isArray(address)) {
        return isPublicAddress(address) ? callback(null, address, family) : callback(refusedAddress(rules), '');
      }
      const allowed = address.filter((entry) => isPublicAddress(entry.address));
      return allowed.length > 0 ? callback(null, allowed) : callback(refusedAddress(rules), []);
    });
  };
}

type Owned = Pick<TransportOptions, 'rulesOwner'>;

function refusedAddress(rules: Owned): AlertsError {
  return refused('The address of the endpoint is not public; private addresses require', rules);
}

function refusedName(rules: Owned): AlertsError {
  return refused('The name of the endpoint belongs to a private network; through a proxy such names require', rules);
}

function refused(sentence: string, { rulesOwner = 'the operator' }: Owned): AlertsError {
  return new AlertsError('endpoint-invalid', `${sentence} --allow-private-endpoints on ${rulesOwner}.`);
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Node skips invalid certificates and then trusts none, which would be indistinguishable from an untrusted server. */
function readCaBundle(pem: string): string[] {
  const certificates = pem.match(pemCertificate) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return certificates;
  throw new AlertsError('tls-failed', 'The CA bundle is not a list of PEM certificates.', { reason: 'BundleInvalid' });
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

interface TunnelOptions {
  readonly clock: Clock;
  /** For the connection to the proxy and its response to CONNECT together. */
  readonly timeoutMs: number;
  /** Ends a tunnel that is not open yet. */
  readonly signal: AbortSignal;
}

interface Answer {
  readonly status: number | undefined;
  readonly socket: Socket;
}

/**
 * Asks a proxy for a tunnel with CONNECT, for plain HTTP as well. TLS to the host is inside the tunnel, so the proxy sees the name of the
 * host, and no request with its token. Resolves with a socket to the target, without TLS. Rejects with `AlertsError`
 * `service-unreachable`, whose message names the proxy.
 */
async function openTunnel(proxy: Proxy, target: ProxiedTarget, options: TunnelOptions): Promise<Socket> {
  const { clock, timeoutMs, signal } = options;
  const request = requestOf(proxy, target, signal);
  const answer = await within(clock, timeoutMs, answerTo(request, proxy));
  if (answer === 'late') {
    request.destroy();
    throw unreached(proxy, 'did not answer in time');
  }
  const { status = 0, socket } = answer;
  if (status >= 200 && status < 300) return socket;
  socket.destroy();
  throw unreached(proxy, refusals[status] ?? `answered CONNECT with status ${status}`);
}

/**
 * TLS to the proxy trusts the system's authorities, because the CA bundle of a connection is for its service. The address of the proxy
 * is not checked: the platform chose it.
 */
function requestOf({ origin, authorization }: Proxy, target: ProxiedTarget, signal: AbortSignal): ClientRequest {
  const path = authorityOf(target);
  const headers = { host: path, ...(authorization && { 'proxy-authorization': authorization.reveal() }) };
  const request = { method: 'CONNECT', path, headers, agent: false, signal } as const;
  return origin.startsWith('https:')
    ? requestTls(origin, { ...request, minVersion: 'TLSv1.2', rejectUnauthorized: true })
    : requestPlain(origin, request);
}

/** Any response to CONNECT ends the request and releases its socket. */
function answerTo(request: ClientRequest, proxy: Proxy): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Ignores bytes behind the response: neither TLS nor HTTP lets a server speak first.
    request.once('connect', ({ statusCode }: IncomingMessage, socket: Socket) => {
      // Until its next owner listens.
      socket.on('error', () => undefined);
      resolve({ status: statusCode, socket });
    });
    request.on('error', (error) => {
      const { cause, detail } = networkCause(error);
      reject(unreached(proxy, `cannot be reached${cause === undefined ? '' : ` (${cause})`}`, detail));
    });
    request.end();
  });
}

const refusals: Readonly<Record<number, string>> = {
  403: 'does not allow this host (status 403)',
  407: 'requires other credentials than its URL in the proxy variables has (status 407)',
};

/** Host and port, an IPv6 address in brackets. */
function authorityOf(target: ProxiedTarget): string {
  const { hostname } = target;
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${portOf(target)}`;
}

function unreached(proxy: Proxy, what: string, detail?: string): AlertsError {
  const message = `The service could not be reached: the proxy ${proxy.name} ${what}.`;
  return new AlertsError('service-unreachable', message, { detail });
}
