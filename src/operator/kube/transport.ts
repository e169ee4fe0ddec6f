// The only transport to the API server: JSON requests over a few shared sockets, and one socket per watch. It classifies
// failures and sets a deadline on every call. It never retries; its callers do.
import type { Clock } from '../../lib/clock.ts';
import { isCoded, messageOf } from '../../lib/errors.ts';
import type { CallRequest } from '../../lib/undici-call.ts';
import { type ApiServerResponse, openWatch, sendRequest, type WatchStream } from './api-server-call.ts';
import type { ApiServerConnection } from './api-server-connection.ts';
import { errorFromResponse, type KubeError, unreachable } from './kube-error.ts';

/** The verbs of Kubernetes RBAC; also the label of a metric. */
export type KubeVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

export interface KubeRequest {
  readonly verb: KubeVerb;
  /** Relative to the server's address, including the query. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
  /** The body's type; default `application/json`. */
  readonly contentType?: string | undefined;
  /**
   * What the server answers with: the object, or only its metadata as a `PartialObjectMetadata`, which is smaller. Default
   * `object`. A failure is a `Status` in either case.
   */
  readonly answer?: 'object' | 'metadata' | undefined;
  /** For the whole call, or for the acceptance of a watch. Default 30 s. */
  readonly deadlineMs?: number | undefined;
  /** Ends the call with `stopped`. */
  readonly signal?: AbortSignal | undefined;
}

/** Receives every finished request. `code` is the HTTP status, or the error's code when there was no response. */
export interface TransportObserver {
  onRequest(facts: { readonly verb: KubeVerb; readonly code: string; readonly durationMs: number }): void;
}

export interface KubeTransport {
  /** Resolves with the parsed body of a success. Rejects with a `KubeError` or a `StoppedError`. */
  request<T>(request: KubeRequest): Promise<T>;
  /** Resolves with any response, successful or not. Rejects only when there is none. */
  send(request: KubeRequest): Promise<ApiServerResponse>;
  watch(request: KubeRequest): Promise<WatchStream>;
}

const defaultDeadlineMs = 30_000;

/** The second choice is for a server that cannot answer with metadata only. */
const acceptedTypes = {
  object: 'application/json',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json',
  metadataList: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
} as const;

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
  /** Called in the tick in which a request that may write is sent. When it throws, nothing is sent. */
  readonly beforeWrite?: (() => void) | undefined;
}): KubeTransport {
  const { connection, clock, observer, beforeWrite } = options;

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
    const report = (code: string) =>
      observer?.onRequest({ verb: request.verb, code, durationMs: clock.monotonic() - startedMs });
    try {
      const result = await call();
      report(String(codeOf(result)));
      return result;
    } catch (error) {
      report(isCoded(error) ? String(error.status ?? error.code) : 'unknown');
      if (isCoded(error) && error.status === 401) connection.forgetCredentials();
      throw error;
    }
  };

  const send = (request: KubeRequest) =>
    observed(
      request,
      (response) => response.status,
      async () => {
        const head = await requestHeadOf(request);
        const beforeSend = () => (head.method === 'GET' ? undefined : beforeWrite?.());
        const response = await sendRequest(connection.requests, head, limitsOf(request), beforeSend);
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
  const headers: Record<string, string> = { ...credentials, accept: acceptedTypeOf(request) };
  if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
  return headers;
}

function acceptedTypeOf({ answer = 'object', verb }: KubeRequest): string {
  return acceptedTypes[answer === 'metadata' && verb === 'list' ? 'metadataList' : answer];
}

/** The error of an unsuccessful response; `undefined` for a success. */
export function errorFromUnsuccessful(response: ApiServerResponse): KubeError | undefined {
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
