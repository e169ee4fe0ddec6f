// Connects the routes to node:http: reads a bounded body, calls the routes, writes the response, logs it. It only enforces the
// limits that routes cannot: one Host header, requests in flight, pipelined requests and slow readers.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Clock } from '../../lib/clock.ts';
import { errorFields } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { thenOrNow } from '../../lib/maybe-promise.ts';
import { readBody } from '../../lib/read-body.ts';
import { silentObserver, type ServiceObserver } from '../observer.ts';
import { logAndCount } from './access-log.ts';
import { deliver } from './delivery.ts';
import { createSchemeOf, hasOneHost, noHost } from './host-header.ts';
import { serviceLimits, type ServiceLimits } from './limits.ts';
import { requestBodyLimitBytes, type HandledRequest, type ServiceRequest } from './message.ts';
import type { RequestHandler } from './routes.ts';
import { errorResponse } from './service-errors.ts';

/** Retry-After of a request that is refused because the service is busy, in seconds. */
const busyRetryAfterSeconds = 1;

export interface HttpAdapterDeps {
  readonly answer: RequestHandler;
  /** The scheme of the listening socket. */
  readonly scheme: ServiceRequest['scheme'];
  /** The external base URL, if different. A request for its host has its scheme. */
  readonly publicURL?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives one line for each request; undefined for none. */
  readonly accessLog: Logger | undefined;
  readonly limits?: Pick<ServiceLimits, 'concurrentRequests' | 'answerTimeoutMs' | 'maxPipelinedRequests'>;
  readonly observer?: ServiceObserver;
}

export function createHttpAdapter(deps: HttpAdapterDeps): RequestListener {
  const { clock, log, limits = serviceLimits, observer = silentObserver } = deps;
  const schemeOf = createSchemeOf(deps);
  const waitingOf = trackWaiting();
  let inFlight = 0;
  return (incoming, outgoing) => {
    const startedMs = clock.monotonic();
    const { socket } = incoming;
    const waiting = waitingOf(socket);
    let isAnswered = false;
    observer.requestBegan();
    waiting.count += 1;
    outgoing.once('close', () => {
      observer.requestEnded();
      waiting.count -= 1;
      if (isAnswered) inFlight -= 1;
    });
    if (waiting.count > limits.maxPipelinedRequests) {
      socket.destroy();
      return;
    }
    const finish = (answered: HandledRequest) => {
      try {
        send(deps, { incoming, outgoing }, answered);
        logAndCount(deps.accessLog, observer, incoming, answered, clock.monotonic() - startedMs);
      } catch (error) {
        // A response that cannot be written must end only this connection.
        log.error({ route: answered.route, ...errorFields(error) }, 'response not written');
        socket.destroy();
      }
    };
    const answer = (body: Uint8Array) => {
      if (inFlight >= limits.concurrentRequests) {
        finish(busy());
        return;
      }
      inFlight += 1;
      isAnswered = true;
      void thenOrNow(deps.answer(requestOf(incoming, body, schemeOf(incoming))), finish);
    };
    if (hasOneHost(incoming)) readBody(incoming, requestBodyLimitBytes, answer);
    else finish(noHost());
  };
}

interface Pair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

function send(deps: HttpAdapterDeps, { incoming, outgoing }: Pair, handled: HandledRequest): void {
  const { clock, limits = serviceLimits } = deps;
  const isWhole = incoming.complete;
  if (handled.delivery) {
    handled.delivery.deliver(outgoing, handled.response, isWhole);
    return;
  }
  deliver(outgoing, handled.response, isWhole);
  cutSlowReader(outgoing, limits.answerTimeoutMs, clock);
}

/** Counts the requests of a connection that wait for their responses. Node starts pipelined requests all at once. */
function trackWaiting(): (socket: Socket) => { count: number } {
  const bySocket = new WeakMap<Socket, { count: number }>();
  return (socket) => {
    const waiting = bySocket.get(socket) ?? { count: 0 };
    bySocket.set(socket, waiting);
    return waiting;
  };
}

function requestOf(incoming: IncomingMessage, body: Uint8Array, scheme: ServiceRequest['scheme']): ServiceRequest {
  const { method = '', url: target = '', headers } = incoming;
  return { method, target, headers, body, scheme, clientAddress: incoming.socket.remoteAddress };
}

function busy(): HandledRequest {
  const headers = { 'retry-after': String(busyRetryAfterSeconds) };
  const response = errorResponse('ServerBusy', 'Too many requests are in flight.', headers);
  return { response, route: 'unknown', principal: 'none' };
}

/** Disconnects a client that does not read its response within `answerTimeoutMs`. Until then the request is in flight. */
function cutSlowReader(outgoing: ServerResponse, answerTimeoutMs: number, clock: Clock): void {
  const { socket } = outgoing;
  if (!socket || socket.writableLength === 0) return;
  const timer = clock.setTimer(answerTimeoutMs, () => socket.destroy());
  outgoing.once('close', () => timer.cancel());
}
