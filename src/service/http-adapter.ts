// The one place where the service meets node:http: reads a bounded body, asks the routes, writes the answer, logs it.
// Decides nothing about alerts; only what no route can: a request that never arrived whole, or one too many.
import type { IncomingMessage, RequestListener } from 'node:http';

import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { deliver, deliverSpoilt } from './delivery.ts';
import { requestBodyLimitBytes, type Answered, type ServiceRequest } from './exchange.ts';
import type { Answer } from './routes.ts';
import { errorResponse } from './service-errors.ts';

/** Requests whose bodies are being read or whose answers are being written; above it, 503. */
const concurrentRequestLimit = 1000;

/** What a refused request is told to wait, in seconds. */
const busyRetryAfterSeconds = 1;

export interface HttpAdapterParts {
  readonly answer: Answer;
  /** What the listening socket speaks. */
  readonly scheme: ServiceRequest['scheme'];
  readonly clock: Clock;
  /** One line a request; undefined for none. */
  readonly accessLog: Logger | undefined;
  /** Absent means `concurrentRequestLimit`. */
  readonly concurrentRequests?: number;
}

export function createHttpAdapter(parts: HttpAdapterParts): RequestListener {
  const { concurrentRequests = concurrentRequestLimit } = parts;
  let inFlight = 0;
  return (incoming, outgoing) => {
    const startedMs = parts.clock.monotonic();
    inFlight += 1;
    outgoing.once('close', () => (inFlight -= 1));
    const finish = (answered: Answered) => {
      const { response, delivery } = answered;
      const isWhole = incoming.complete;
      if (delivery) deliverSpoilt(outgoing, response, delivery, { isWhole, clock: parts.clock });
      else deliver(outgoing, response, isWhole);
      logAccess(parts, incoming, answered, startedMs);
    };
    if (inFlight > concurrentRequests) finish(busy());
    else {
      readBody(incoming, (body) => {
        const answered = parts.answer(requestOf(incoming, body, parts.scheme));
        if (answered instanceof Promise) void answered.then(finish);
        else finish(answered);
      });
    }
  };
}

function requestOf(incoming: IncomingMessage, body: Uint8Array, scheme: ServiceRequest['scheme']): ServiceRequest {
  const { method = '', url: target = '', headers } = incoming;
  return { method, target, headers, body, scheme };
}

/** Calls back once: with the whole body, or as soon as it is over the limit. Not at all when the caller went away. */
function readBody(incoming: IncomingMessage, done: (body: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = () => {
    incoming.off('data', take);
    incoming.off('end', finish);
    incoming.resume();
    done(Buffer.concat(chunks, length));
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > requestBodyLimitBytes) finish();
  };
  incoming.on('data', take);
  incoming.once('end', finish);
  incoming.once('error', () => incoming.destroy());
}

function busy(): Answered {
  const headers = { 'retry-after': String(busyRetryAfterSeconds) };
  const response = errorResponse('ServerBusy', 'Too many requests are in flight.', headers);
  return { response, route: 'unknown', principal: 'none' };
}

/** Names of routes and classes of callers only: no identifiers, no tokens, no query. */
function logAccess(parts: HttpAdapterParts, incoming: IncomingMessage, answered: Answered, startedMs: number): void {
  const { response, route, principal, fault } = answered;
  const durationMs = Math.round((parts.clock.monotonic() - startedMs) * 10) / 10;
  const error = response.errorCode === undefined ? {} : { error: response.errorCode };
  parts.accessLog?.info(
    {
      method: incoming.method,
      route,
      status: response.status,
      durationMs,
      principal,
      ...error,
      ...(fault && { fault }),
    },
    'request answered',
  );
}
