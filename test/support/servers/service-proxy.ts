// Between the operator and the alerts service: passes every request on, counts it by kind, and lets a test answer in the service's place. The real service stays behind it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Agent, request as send } from 'undici';

/** `page` is a page of a list after its first. */
export type RequestKind = 'list' | 'page' | 'patch' | 'token';

export interface ProxiedRequest {
  readonly kind: RequestKind;
  /** As it stood in the path, without its slash; empty for the token endpoint. */
  readonly scope: string;
  /** Last segment of the path. */
  readonly name: string;
  readonly url: string;
  readonly authorization: string;
  readonly body: string;
  readonly atMs: number;
  /** The caller's port. */
  readonly port: number;
}

/** True when it has answered, or will, in the service's place. */
export type Interceptor = (
  request: ProxiedRequest,
  response: ServerResponse,
) => boolean | undefined | Promise<boolean | undefined>;

export interface ServiceProxy {
  readonly url: string;
  /** Requests in the order in which they came. A test may empty it. */
  readonly requests: ProxiedRequest[];
  /** Who answers instead of the service. */
  intercept: Interceptor;
  count(kind: RequestKind, scope?: string): number;
  stop(): Promise<void>;
}

const collection = '/providers/Vendor.Authorization/roleManagementAlerts';

/** `upstream` is asked at every request, so that the service behind may be replaced. */
export async function startServiceProxy(upstream: () => string): Promise<ServiceProxy> {
  const requests: ProxiedRequest[] = [];
  const agent = new Agent({ connections: 32 });
  const server = createServer((incoming, response) => {
    void handle(incoming, response).catch(() => response.destroy());
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of incoming) body += String(chunk);
    const proxied = describeRequest(incoming, body);
    requests.push(proxied);
    if (await proxy.intercept(proxied, response)) return;
    // The Host stays the proxy's, so that links to next pages lead back to it.
    const { connection: _, 'transfer-encoding': __, expect: ___, ...headers } = incoming.headers;
    const { method = 'GET', url = '/' } = incoming;
    const answer = await send(`${upstream()}${url}`, { dispatcher: agent, method, headers, body: body || null });
    const text = await answer.body.text();
    const { 'transfer-encoding': ____, connection: _____, 'keep-alive': ______, ...passed } = answer.headers;
    response.writeHead(answer.statusCode, passed).end(text);
  }

  await listen(server);
  const { port } = server.address() as AddressInfo;
  const proxy: ServiceProxy = {
    url: `http://127.0.0.1:${port}`,
    requests,
    intercept: () => undefined,
    count: (kind, scope) =>
      requests.filter((each) => each.kind === kind && (scope === undefined || each.scope === scope)).length,
    async stop() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await Promise.all([closed, agent.destroy()]);
    },
  };
  return proxy;
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}

function describeRequest({ method, url = '/', headers, socket }: IncomingMessage, body: string): ProxiedRequest {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const path = decodeURIComponent(pathname);
  const end = path.indexOf(collection);
  const lists: RequestKind = searchParams.has('skipToken') ? 'page' : 'list';
  return {
    kind: end === -1 ? 'token' : method === 'PATCH' ? 'patch' : lists,
    scope: end === -1 ? '' : path.slice(1, end),
    name: path.slice(path.lastIndexOf('/') + 1),
    url,
    authorization: headers.authorization ?? '',
    body,
    atMs: Date.now(),
    port: socket.remotePort ?? 0,
  };
}
