// The sockets of one connection: an undici Agent of its own, HTTP/1.1, TLS from 1.2, kept alive, no redirects, and
// addresses checked where they cannot be swapped any more: when connecting, after the name was resolved.
import { X509Certificate } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';

import { Agent, buildConnector, type Dispatcher } from 'undici';

import type { Clock } from '../lib/clock.ts';
import { CodedError } from '../lib/errors.ts';
import { isPublicAddress } from './addresses.ts';
import { cancelled } from './cancelled.ts';
import { deadlinePassed, HttpCall, type HttpRequest, type HttpResponse } from './http-call.ts';

/** Sends requests, whatever they mean. */
export interface Transport {
  /** Throws `CodedError`: `service-unreachable`, `service-protocol`, `tls-failed`, `endpoint-invalid`, `stopped`. */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Cuts off what is under way. Repetition is harmless. */
  stop(): Promise<void>;
}

export interface TransportOptions {
  readonly clock: Clock;
  /** For one exchange as a whole: connecting, headers and body. */
  readonly requestTimeoutMs: number;
  /** Sockets for each origin. */
  readonly maxConcurrent: number;
  readonly allowPrivateEndpoints: boolean;
  /** Trusted instead of the well-known authorities. PEM, one or more certificates. */
  readonly caBundle?: string;
  /** How names become addresses; the system's way unless given. */
  readonly lookup?: LookupFunction;
  /** What stands for the sockets in a simulation. Ended with the transport. */
  readonly dispatcher?: Dispatcher;
}

const longestConnectMs = 10_000;
const idleSocketMs = 4000;
const maxHeaderBytes = 16_384;

/** Opens nothing before the first exchange. Throws `tls-failed` when the CA bundle cannot be read. */
export function createAlertTransport(options: TransportOptions): Transport {
  const { clock, requestTimeoutMs } = options;
  const dispatcher = options.dispatcher ?? createAgent(options);
  let stopping: Promise<void> | undefined;
  return {
    send(request) {
      if (stopping !== undefined || request.signal.aborted) return Promise.reject(cancelled());
      const timeoutMs = Math.min(requestTimeoutMs, request.timeoutMs ?? Infinity);
      return send(dispatcher, clock, timeoutMs, request);
    },
    stop: () => (stopping ??= dispatcher.destroy(cancelled())),
  };
}

function createAgent(options: TransportOptions): Agent {
  return new Agent({
    allowH2: false,
    connections: options.maxConcurrent,
    pipelining: 1,
    connect: createConnector(options),
    headersTimeout: options.requestTimeoutMs,
    bodyTimeout: options.requestTimeoutMs,
    keepAliveTimeout: idleSocketMs,
    maxHeaderSize: maxHeaderBytes,
  });
}

function send(dispatcher: Dispatcher, clock: Clock, timeoutMs: number, request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const guard = guardCall(clock, timeoutMs, request.signal);
    const startMs = clock.monotonic();
    /** A process that was stopped may go on with the socket, and only then with the timer. */
    const beforeSend = () => {
      if (clock.monotonic() - startMs >= timeoutMs) throw deadlinePassed();
      request.beforeSend?.();
    };
    const call = new HttpCall(
      { ...request, beforeSend },
      (response) => {
        guard.end();
        // What a PATCH was answered counts whenever it is read; a list that was left lying is no news.
        if (request.method === 'GET' && clock.monotonic() - startMs >= timeoutMs) reject(deadlinePassed());
        else resolve(response);
      },
      (error) => {
        guard.end();
        reject(error);
      },
    );
    guard.start(call);
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.target,
        method: request.method,
        headers: request.headers as string[],
        body: request.body ?? null,
      },
      call,
    );
  });
}

/** The deadline is one timer over everything, so that an answer that drips cannot stretch it. */
function guardCall(clock: Clock, timeoutMs: number, signal: AbortSignal) {
  let guarded: HttpCall | undefined;
  const abort = () => guarded?.fail(cancelled());
  const timer = clock.setTimer(timeoutMs, () => guarded?.fail(deadlinePassed()));
  signal.addEventListener('abort', abort, { once: true });
  return {
    start(call: HttpCall): void {
      guarded = call;
    },
    end(): void {
      // The listener that goes may still be referred to by one that went before it, so it must hold on to nothing.
      guarded = undefined;
      timer.cancel();
      signal.removeEventListener('abort', abort);
    },
  };
}

function createConnector(options: TransportOptions): buildConnector.connector {
  const lookup = options.lookup ?? systemLookup;
  const connect = buildConnector({
    allowH2: false,
    timeout: Math.min(longestConnectMs, options.requestTimeoutMs),
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(options.caBundle !== undefined && { ca: readCaBundle(options.caBundle) }),
    }),
    rejectUnauthorized: true,
    lookup: options.allowPrivateEndpoints ? lookup : publicOnly(lookup),
  });
  if (options.allowPrivateEndpoints) return connect;
  return (target, callback) => {
    // An address that is written in the URL is never looked up, so it is checked here.
    if (isIP(target.hostname) === 0 || isPublicAddress(target.hostname)) connect(target, callback);
    else queueMicrotask(() => callback(refusedAddress(), null));
  };
}

/** Leaves out the addresses that are refused; a name with no other is refused itself. */
function publicOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      if (error) return callback(error, address, family);
      if (!Array.isArray(address)) {
        return isPublicAddress(address) ? callback(null, address, family) : callback(refusedAddress(), '');
      }
      const allowed = address.filter((entry) => isPublicAddress(entry.address));
      return allowed.length > 0 ? callback(null, allowed) : callback(refusedAddress(), []);
    });
  };
}

function refusedAddress(): CodedError {
  return new CodedError(
    'endpoint-invalid',
    "The endpoint's address is not a public one, which needs the operator's --allow-private-endpoints.",
  );
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Node skips what it cannot read and trusts nobody then, which nobody could tell from a wrong server. */
function readCaBundle(pem: string): string[] {
  const certificates = pem.match(pemCertificate) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return certificates;
  throw new CodedError('tls-failed', 'The CA bundle is not a list of certificates in PEM form.');
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
