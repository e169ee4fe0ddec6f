// What one client, or all of them together, can take of the process. Each has a value that no honest client comes near; they
// can be changed by whoever starts the service in code. Limits of sizes stand where the sizes are read.
import type { ClientErrorStatus, ServerOptions } from '../../lib/http-server.ts';
import { errorBody } from './service-errors.ts';

export interface ServiceLimits {
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** For a client to take an answer that is ready. */
  readonly answerTimeoutMs: number;
  /** A connection on which nothing moves for so long is closed. */
  readonly idleTimeoutMs: number;
  /** Further ones are closed at once, without an answer. */
  readonly maxConnections: number;
  /** Requests of one connection that wait for their answers; above it, the connection is closed. */
  readonly maxPipelinedRequests: number;
  /** Requests that are answered, until their answers are taken; above it, 503. A body that is slow to come does not count. */
  readonly concurrentRequests: number;
}

export const serviceLimits: ServiceLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  answerTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  maxConnections: 4096,
  maxPipelinedRequests: 8,
  concurrentRequests: 1000,
};

/** The part of them that the listening socket keeps. `onClientError` hears of what was answered without being a request. */
export function serverOptionsOf(
  limits: ServiceLimits,
  onClientError: (status: ClientErrorStatus, code: string) => void,
): ServerOptions {
  const { requestTimeoutMs, idleTimeoutMs, maxConnections } = limits;
  // Node takes no other order of the two.
  const headersTimeoutMs = Math.min(limits.headersTimeoutMs, requestTimeoutMs);
  const clientErrorBody = (status: ClientErrorStatus) => {
    const { code, message } = brokenAnswers[status];
    onClientError(status, code);
    return errorBody(code, message);
  };
  return { headersTimeoutMs, requestTimeoutMs, idleTimeoutMs, maxConnections, clientErrorBody };
}

const brokenAnswers = {
  400: { code: 'MalformedRequest', message: 'What was sent is not an HTTP request.' },
  405: { code: 'MethodNotAllowed', message: 'Nothing can be connected to here.' },
  408: { code: 'RequestTimeout', message: 'The request did not arrive in time.' },
  431: { code: 'HeadersTooLarge', message: 'The headers are larger than 16 KiB.' },
} as const;
