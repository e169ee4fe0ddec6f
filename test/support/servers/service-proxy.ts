// Between the operator and the alerts service: passes every request on, counts it by kind, keeps the lists that went
// through, and lets a test answer in the service's place. The real service stays behind it.
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

export interface ListedAlert {
  readonly isActive: boolean;
  readonly severity: string;
  readonly incidentCount: number;
  readonly incidents: readonly string[];
}

/** One whole list, by alert name in lower case. */
export type ListedAlerts = ReadonlyMap<string, ListedAlert>;

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
  /** Whole lists of a scope in the order in which they were answered. */
  lists(scope: string): readonly ListedAlerts[];
  stop(): Promise<void>;
}

const collection = '/providers/Vendor.Authorization/roleManagementAlerts';

/** `upstream` is asked at every request, so that the service behind may be replaced. */
export async function startServiceProxy(upstream: () => string): Promise<ServiceProxy> {
  const requests: ProxiedRequest[] = [];
  const lists = createListRecorder();
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
    if (answer.statusCode === 200) lists.note(proxied, text);
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
    lists: (scope) => lists.of(scope),
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

interface ListBody {
  readonly value?: readonly {
    readonly name: string;
    readonly properties: {
      readonly isActive: boolean;
      readonly incidentCount: number;
      readonly alertIncidents?: readonly { readonly name: string }[];
      readonly alertDefinition?: { readonly properties?: { readonly severityLevel?: string } };
    };
  }[];
  readonly nextLink?: string;
}

type Listed = Map<string, ListedAlert>;

/** Puts the pages of a list together; a list counts when its last page went through. */
function createListRecorder() {
  const whole = new Map<string, Listed[]>();
  const partial = new Map<string, Listed>();
  return {
    of: (scope: string): readonly ListedAlerts[] => whole.get(scope.toLowerCase()) ?? [],
    note({ kind, scope, url }: ProxiedRequest, text: string): void {
      if (kind !== 'list' && kind !== 'page') return;
      const { value = [], nextLink } = JSON.parse(text) as ListBody;
      const listed: Listed = new Map(kind === 'page' ? partial.get(url) : []);
      for (const { name, properties } of value) {
        const { isActive, incidentCount, alertIncidents = [], alertDefinition } = properties;
        const incidents = alertIncidents.map((incident) => incident.name.toLowerCase());
        const severity = alertDefinition?.properties?.severityLevel ?? 'High';
        listed.set(name.toLowerCase(), { isActive, severity, incidentCount, incidents });
      }
      if (nextLink !== undefined) {
        const { pathname, search } = new URL(nextLink);
        partial.set(`${pathname}${search}`, listed);
        return;
      }
      const key = scope.toLowerCase();
      whole.set(key, [...(whole.get(key) ?? []), listed]);
    },
  };
}
