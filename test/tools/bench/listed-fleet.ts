// An API server that only lists and watches a fleet whose policies have statuses, from memory: what a view costs is then the view's.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { firingRow, pagePolicy } from '../../support/builders/page-fleet.ts';

export interface ListedFleet {
  readonly url: string;
  /** Changes the first policy for all watches. */
  change(incidents: number): void;
  stop(): Promise<void>;
}

type Policy = ReturnType<typeof pagePolicy>;

/** `count` policies of 100 namespaces, each with two alerts. */
export async function startListedFleet(count: number): Promise<ListedFleet> {
  const policies = Array.from({ length: count }, (_, index) => listedPolicy(index, index % 50));
  const watches = new Set<ServerResponse>();
  let version = count + 1;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
    response.setHeader('content-type', 'application/json');
    const isPolicies = pathname.endsWith('/rolealertpolicies');
    if (searchParams.get('watch') !== 'true') {
      response.end(pageOf(isPolicies ? policies : [], searchParams, version));
      return;
    }
    response.flushHeaders();
    if (!isPolicies) return;
    watches.add(response);
    response.on('close', () => watches.delete(response));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    change(incidents) {
      version += 1;
      const { metadata, ...rest } = listedPolicy(0, incidents);
      const object = { ...rest, metadata: { ...metadata, resourceVersion: String(version) } };
      for (const watch of watches) watch.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listedPolicy(index: number, incidents: number): Policy {
  const alerts = [
    firingRow('TooManyOwnersAssignedToResource', incidents, 'High'),
    firingRow('DuplicateRoleCreated', 1, 'Low'),
  ];
  const made = pagePolicy({ name: `policy-${index}`, alerts });
  const metadata = { namespace: `team-${index % 100}`, uid: `uid-${index}`, resourceVersion: String(index + 1) };
  return { ...made, metadata: { ...made.metadata, ...metadata } };
}

function pageOf(items: readonly Policy[], parameters: URLSearchParams, version: number): string {
  const start = Number(parameters.get('continue') ?? 0);
  const end = start + Number(parameters.get('limit') ?? items.length);
  const next = end < items.length ? { continue: String(end) } : {};
  return JSON.stringify({
    kind: 'List',
    metadata: { resourceVersion: String(version), ...next },
    items: items.slice(start, end),
  });
}
