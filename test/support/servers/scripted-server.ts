// A local HTTP server with scripted responses, valid and invalid, that records every request. It speaks through
// a socket, so that tests cover the bytes on the wire.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, as it stood on the wire. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `index` counts the requests to this server from 0. */
export type Script = (request: ReceivedRequest, response: ServerResponse, index: number) => void | Promise<void>;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** What happens with the next requests. */
  script: Script;
  stop(): Promise<void>;
}

/** Listens on a free port of the loopback address, with TLS when `tls` is given. Stopping cuts off whatever hangs. */
export async function startScriptedServer(script: Script, tls?: ServerOptions): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    void receive(incoming).then((request) => {
      requests.push(request);
      return running.script(request, response, requests.length - 1);
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const url = `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}`;
  const running = { url, port, requests, script, stop, [Symbol.asyncDispose]: stop };
  return running;
}

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  let body = '';
  for await (const chunk of incoming) body += String(chunk);
  return { method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body };
}

/** Answers with JSON, or with `body` as it is when it is a text. */
export function answer(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

/** The specification's error body (section 2.8). */
export function errorBody(code: string, message: string): object {
  return { error: { code, message } };
}
