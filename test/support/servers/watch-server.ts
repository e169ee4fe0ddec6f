// A scripted API server over a real socket: pages of a LIST one after the other, and watches that the
// test holds in its hand and writes to byte by byte.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { KubeConfig } from '@kubernetes/client-node';

import { systemClock, type Clock } from '../../../src/lib/clock.ts';
import {
  type ApiServerConnection,
  createApiServerConnection,
} from '../../../src/operator/kube/api-server-connection.ts';
import { until } from '../rigs/until.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Respond = (response: ServerResponse, request: SeenRequest) => void;

/** A watch that the server has accepted. */
export interface OpenWatch {
  readonly query: URLSearchParams;
  readonly isClosed: boolean;
  /** Whole events, one line each. */
  send(...events: readonly object[]): void;
  /** Bytes as they are, without a line feed. Resolves when they have left. */
  sendBytes(bytes: Buffer | string): Promise<void>;
  end(): void;
  reset(): void;
}

export interface WatchServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Sockets that were ever opened. */
  readonly sockets: number;
  /** Answers of the next LISTs, in order; the last one stays. */
  answerLists(...answers: readonly Respond[]): void;
  /** Answers of everything that is neither a LIST nor a WATCH; the last one stays. */
  answerOthers(...answers: readonly Respond[]): void;
  /** The next watches are answered like this; those after them are accepted. */
  refuseWatches(...answers: readonly Respond[]): void;
  /** The oldest accepted watch that the test has not taken yet. */
  nextWatch(): Promise<OpenWatch>;
  stop(): Promise<void>;
}

export async function startWatchServer(): Promise<WatchServer> {
  const requests: SeenRequest[] = [];
  const watches: OpenWatch[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  let lists: Respond[] = [page([], '1')];
  let others: Respond[] = [failure(404)];
  let refusals: Respond[] = [];

  const server = createServer((message, response) => {
    void readRequest(message).then((request) => {
      requests.push(request);
      const answer = answerOf(request);
      if (answer) answer(response, request);
      else watches.push(acceptWatch(request, response));
    });
  });
  const answerOf = (request: SeenRequest): Respond | undefined => {
    if (request.query.get('watch') === 'true') return refusals.shift();
    const answers = request.method === 'GET' && request.query.has('limit') ? lists : others;
    return answers.length > 1 ? answers.shift() : answers[0];
  };
  server.on('connection', (socket) => {
    opened++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get sockets() {
      return opened;
    },
    answerLists: (...answers) => {
      lists = [...answers];
    },
    answerOthers: (...answers) => {
      others = [...answers];
    },
    refuseWatches: (...answers) => {
      refusals = [...answers];
    },
    async nextWatch() {
      await until(() => watches.length > 0, 'a watch is opened');
      return watches.shift()!;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function readRequest(message: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const url = new URL(message.url ?? '/', 'http://host');
  return {
    method: message.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: message.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function acceptWatch(request: SeenRequest, response: ServerResponse): OpenWatch {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  response.on('error', () => undefined);
  return {
    query: request.query,
    get isClosed() {
      return response.destroyed;
    },
    send: (...events) => {
      for (const event of events) response.write(`${JSON.stringify(event)}\n`);
    },
    sendBytes: (bytes) =>
      new Promise((resolve) => {
        response.write(bytes, () => resolve());
      }),
    end: () => response.end(),
    reset: () => response.socket?.resetAndDestroy(),
  };
}

/** One page of a list. */
export function page(items: readonly object[], resourceVersion: string, continueToken?: string): Respond {
  return json(200, { kind: 'List', metadata: { resourceVersion, continue: continueToken }, items });
}

/** A `Status`, as the API server refuses. */
export function failure(code: number, more: { reason?: string; message?: string; retryAfter?: string } = {}): Respond {
  const { reason = '', message = `refused with ${code}`, retryAfter } = more;
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
  return json(code, status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Respond {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}

/** The connection is cut before a response. */
export const resetConnection: Respond = (response) => {
  response.socket?.resetAndDestroy();
};

/** Never answers. */
export const silence: Respond = () => undefined;

/** A connection to `url` with a bearer token, through the same code as in production. */
export function connectTo(url: string, clock: Clock = systemClock, token = 'canary-token'): ApiServerConnection {
  const load = () => {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: 'c', server: url, skipTLSVerify: true }, { name: 'u', token });
    return config;
  };
  return createApiServerConnection({ load, clock, userAgent: 'rolealerts/test' });
}
