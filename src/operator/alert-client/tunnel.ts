// Reaches a host through a proxy: asks the proxy for a tunnel with CONNECT, for plain HTTP as well. TLS to the host is inside the
// tunnel, so the proxy sees the name of the host, and no request with its token.
import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Socket } from 'node:net';

import { AlertsError } from '../../alerts/alerts-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { portOf, type Proxy, type ProxiedTarget } from '../../lib/proxy.ts';
import { within } from '../../lib/within.ts';
import { networkCause } from './network-failure.ts';

export interface TunnelOptions {
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

/** Resolves with a socket to the target, without TLS. Rejects with `AlertsError` `service-unreachable`, whose message names the proxy. */
export async function openTunnel(proxy: Proxy, target: ProxiedTarget, options: TunnelOptions): Promise<Socket> {
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
  407: 'requires other credentials than its URL in the environment of the operator has (status 407)',
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
