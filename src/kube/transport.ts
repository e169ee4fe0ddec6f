// The one transport to the API server: JSON in and out over a few shared connections, and watches on one connection each.
// It classifies failures and sets a deadline on every call; it never retries, that is for the loops above.
import type { Clock } from '../lib/clock.ts';
import { type CodedError, isCodedError, messageOf } from '../lib/errors.ts';
import type { CallRequest } from '../lib/undici-call.ts';
import { sendRequest, type ApiServerResponse } from './api-server-call.ts';
import type { ApiServerConnection } from './api-server-connection.ts';
import { errorFromResponse, unreachable } from './status-error.ts';
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
  /** The parsed body of a success. Rejects with a `CodedError`: one of the `kube-…` codes, or `stopped`. */
  request<T>(request: KubeRequest): Promise<T>;
  /** The answer as it is, also one that is not a success. Rejects only when there was none. */
  send(request: KubeRequest): Promise<ApiServerResponse>;
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

export function createKubeTransport(options: {
  readonly connection: ApiServerConnection;
  readonly clock: Clock;
  readonly observer?: TransportObserver | undefined;
}): KubeTransport {
  const { connection, clock, observer } = options;

  const requestHeadOf = async (request: KubeRequest): Promise<CallRequest> => ({
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
      tell(isCodedError(error) ? String(error.status ?? error.code) : 'unknown');
      if (isCodedError(error) && error.status === 401) connection.forgetCredentials();
      throw error;
    }
  };

  const send = (request: KubeRequest) =>
    observed(
      request,
      (response) => response.status,
      async () => {
        const response = await sendRequest(connection.requests, await requestHeadOf(request), limitsOf(request));
        if (response.status === 401) connection.forgetCredentials();
        return response;
      },
    );

  return {
    send,
    async request<T>(request: KubeRequest) {
      return decodeResponse(await send(request)) as T;
    },
    watch: (request) =>
      observed(
        request,
        () => 200,
        async () => openWatch(connection.watches, await requestHeadOf(request), limitsOf(request)),
      ),
  };
}

function headersOf(credentials: Readonly<Record<string, string>>, request: KubeRequest): Record<string, string> {
  const headers: Record<string, string> = { ...credentials, accept: 'application/json' };
  if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
  return headers;
}

/** The error of an answer that is not a success; `undefined` for a success. */
export function errorFromUnsuccessful(response: ApiServerResponse): CodedError | undefined {
  return response.status >= 200 && response.status <= 299 ? undefined : errorFromResponse(response, response.body);
}

function decodeResponse(response: ApiServerResponse): unknown {
  const failure = errorFromUnsuccessful(response);
  if (failure) throw failure;
  try {
    return JSON.parse(response.body);
  } catch (cause) {
    throw unreachable(messageOf(cause), { reason: 'BadAnswer', status: response.status, cause });
  }
}
