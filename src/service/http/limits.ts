// Limits that protect the process from one client or from all clients together. The defaults are far above legitimate use; code
// that starts the service can change them. The code that reads a size defines its limit.
import type { Clock } from '../../lib/clock.ts';
import type { ServerOptions } from '../../lib/http-server.ts';
import { httpDate } from '../../lib/timestamp.ts';
import type { AnswerClientError, ClientErrorStatus } from '../../lib/unroutable-requests.ts';
import type { CrossOrigin } from './cors.ts';
import { anonymous } from './message.ts';
import { newRequestID, requestIDHeader } from './request-id.ts';
import { errorBody } from './service-errors.ts';

export interface ServiceLimits {
  /** Time from the first byte of a request to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** Time from the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** See `ConnectionBounds`. */
  readonly answerTimeoutMs: number;
  /** Time after which an idle connection closes. */
  readonly idleTimeoutMs: number;
  /** See `ConnectionBounds`. */
  readonly maxConnections: number;
  /** See `ConnectionBounds`. */
  readonly largeConnections: number;
}

export const serviceLimits: ServiceLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  answerTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  maxConnections: 1024,
  largeConnections: 32,
};

/** A request that never reached the routes. Its headers may be unreadable, so that its id is always a new one. */
export interface ClientFailure {
  readonly status: ClientErrorStatus;
  readonly code: string;
  readonly requestID: string;
}

interface ClientErrorDeps {
  readonly clock: Clock;
  readonly crossOrigin: CrossOrigin;
  /** Called for each malformed or timed-out request. */
  readonly onClientError: (failure: ClientFailure) => void;
}

/** The limits of the listening socket. */
export function serverOptionsOf(
  limits: ServiceLimits,
  { clock, crossOrigin, onClientError }: ClientErrorDeps,
): ServerOptions {
  const { requestTimeoutMs, idleTimeoutMs, answerTimeoutMs, maxConnections, largeConnections } = limits;
  // Node requires this order of the two.
  const headersTimeoutMs = Math.min(limits.headersTimeoutMs, requestTimeoutMs);
  const answerOf: AnswerClientError = (status, request) => {
    const { code, message } = brokenAnswers[status];
    const requestID = newRequestID();
    onClientError({ status, code, requestID });
    const response = {
      status,
      headers: {
        date: httpDate(clock.now()),
        [requestIDHeader]: requestID,
      },
    };
    const { method = '', headers = {} } = request ?? {};
    const handled = crossOrigin({ method, headers }, anonymous(response));
    return { body: errorBody(code, message), headers: handled.response.headers };
  };
  return {
    headersTimeoutMs,
    requestTimeoutMs,
    idleTimeoutMs,
    answerTimeoutMs,
    maxConnections,
    largeConnections,
    answerUnroutable: answerOf,
    listenerContinues: true,
  };
}

const brokenAnswers = {
  400: { code: 'MalformedRequest', message: 'The request is not valid HTTP.' },
  408: { code: 'RequestTimeout', message: 'The request did not arrive in time.' },
  431: { code: 'HeadersTooLarge', message: 'The headers are larger than 16 KiB, or more than 100.' },
} as const;
