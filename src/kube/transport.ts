// The one transport to the API server: JSON in and out over a few shared connections, and watches on one connection each.
// It classifies failures and sets a deadline on every call; it never retries, that is for the loops above.
import type { Clock } from '../lib/clock.ts';
import { isOperatorError, messageOf, type OperatorError } from '../lib/errors.ts';
import type { KubeConnection } from './connection.ts';
import { exchange, type Answer, type Outgoing } from './exchange.ts';
import { refusalOf, unreachable } from './status-error.ts';
import { openWatch, type WatchStream } from './watch-stream.ts';

/** What is asked, in the words of Kubernetes' own permissions; also a metric's label. */
export type KubeVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

export interface KubeRequest {
  readonly verb: KubeVerb;
  /** Below the server's address, with its query. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
  /** Of the body; default `application/json`. */
  readonly contentType?: string | undefined;
  /** For the whole call; of a watch for its acceptance. Default 30 s. */
  readonly deadlineMs?: number | undefined;
  /** Ends the call with `stopped`. */
  readonly signal?: AbortSignal | undefined;
}

/** Told of every finished request: `code` is the HTTP status, or the error's code when there was none. */
export interface TransportObserver {
  onRequest(facts: { readonly verb: KubeVerb; readonly code: string; readonly durationMs: number }): void;
}

export interface KubeTransport {
  /** The parsed body of a success. Rejects with an `OperatorError`: one of the `kube-…` codes, or `stopped`. */
  request<T>(request: KubeRequest): Promise<T>;
  /** The answer as it is, also one that is not a success. Rejects only when there was none. */
  send(request: KubeRequest): Promise<Answer>;
  watch(request: KubeRequest): Promise<WatchStream>;
}

const defaultDeadlineMs = 30_000;

const methods = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const;

export function createTransport(options: {
  readonly connection: KubeConnection;
  readonly clock: Clock;
  readonly observer?: TransportObserver | undefined;
}): KubeTransport {
  const { connection, clock, observer } = options;

  const outgoingOf = async (request: KubeRequest): Promise<Outgoing> => ({
    method: methods[request.verb],
    path: `${connection.basePath}${request.path}`,
    headers: headersOf(await connection.headers(), request),
    body: request.body,
  });

  const limitsOf = (request: KubeRequest) => ({
    clock,
    deadlineMs: request.deadlineMs ?? defaultDeadlineMs,
    signal: request.signal,
  });

  const observed = async <R>(
    request: KubeRequest,
    codeOf: (result: R) => number,
    call: () => Promise<R>,
  ): Promise<R> => {
    const startedMs = clock.monotonic();
    const tell = (code: string) =>
      observer?.onRequest({ verb: request.verb, code, durationMs: clock.monotonic() - startedMs });
    try {
      const result = await call();
      tell(String(codeOf(result)));
      return result;
    } catch (error) {
      tell(isOperatorError(error) ? String(error.status ?? error.code) : 'unknown');
      if (isOperatorError(error) && error.status === 401) connection.forgetCredentials();
      throw error;
    }
  };

  const send = (request: KubeRequest) =>
    observed(
      request,
      (answer) => answer.status,
      async () => {
        const answer = await exchange(connection.requests, await outgoingOf(request), limitsOf(request));
        if (answer.status === 401) connection.forgetCredentials();
        return answer;
      },
    );

  return {
    send,
    async request<T>(request: KubeRequest) {
      return decodeAnswer(await send(request)) as T;
    },
    watch: (request) =>
      observed(
        request,
        () => 200,
        async () => openWatch(connection.watches, await outgoingOf(request), limitsOf(request)),
      ),
  };
}

function headersOf(credentials: Readonly<Record<string, string>>, request: KubeRequest): Record<string, string> {
  const headers: Record<string, string> = { ...credentials, accept: 'application/json' };
  if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
  return headers;
}

/** The error of an answer that is not a success; `undefined` for a success. */
export function failureOf(answer: Answer): OperatorError | undefined {
  return answer.status >= 200 && answer.status <= 299 ? undefined : refusalOf(answer, answer.body);
}

function decodeAnswer(answer: Answer): unknown {
  const failure = failureOf(answer);
  if (failure) throw failure;
  try {
    return JSON.parse(answer.body);
  } catch (cause) {
    throw unreachable(messageOf(cause), { reason: 'BadAnswer', status: answer.status, cause });
  }
}
