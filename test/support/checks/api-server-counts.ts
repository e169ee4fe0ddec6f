// The API server's own counts of requests by resource, subresource and verb, from its metrics. They are of the whole
// server, so a test compares two moments.
import { Agent, request } from 'undici';

import type { ApiServer } from '../rigs/kube-requests.ts';

export interface ApiServerCounts {
  /** Successful replacements of a policy's status. */
  readonly policyStatusWrites: number;
  readonly connectionStatusWrites: number;
  readonly eventsCreated: number;
}

export async function readApiServerCounts(server: ApiServer): Promise<ApiServerCounts> {
  const dispatcher = new Agent({ connect: { ca: server.certificateAuthority } });
  try {
    const headers = { authorization: `Bearer ${server.adminToken.reveal()}` };
    const answer = await request(`${server.url}/metrics`, { dispatcher, headers });
    const lines = (await answer.body.text()).split('\n').filter((line) => line.startsWith('apiserver_request_total{'));
    const count = (...labels: readonly string[]) =>
      lines
        .filter((line) => labels.every((label) => line.includes(label)))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    return {
      policyStatusWrites: count('code="200"', 'resource="rolealertpolicies"', 'subresource="status"', 'verb="PUT"'),
      connectionStatusWrites: count(
        'code="200"',
        'resource="rolealertconnections"',
        'subresource="status"',
        'verb="PUT"',
      ),
      eventsCreated: count('code="201"', 'resource="events"', 'group="events.k8s.io"', 'verb="POST"'),
    };
  } finally {
    await dispatcher.destroy();
  }
}

export function countsSince(before: ApiServerCounts, now: ApiServerCounts): ApiServerCounts {
  return {
    policyStatusWrites: now.policyStatusWrites - before.policyStatusWrites,
    connectionStatusWrites: now.connectionStatusWrites - before.connectionStatusWrites,
    eventsCreated: now.eventsCreated - before.eventsCreated,
  };
}
