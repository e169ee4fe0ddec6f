// The API server's own counts of requests by resource, subresource and verb, from its metrics. They are of the whole
// server, so a test compares two moments.
import { Agent, request } from 'undici';

import type { ApiServer } from '../rigs/kube-requests.ts';

export interface ApiServerCounts {
  /** Successful replacements of a policy's status. */
  readonly policyStatusWrites: number;
  /** Of connections of both kinds. */
  readonly connectionStatusWrites: number;
  readonly eventsCreated: number;
}

export async function readApiServerCounts(server: ApiServer): Promise<ApiServerCounts> {
  const dispatcher = new Agent({ connect: { ca: server.certificateAuthority } });
  try {
    const headers = { authorization: `Bearer ${server.adminToken.reveal()}` };
    const answer = await request(`${server.url}/metrics`, { dispatcher, headers });
    return countsIn(await answer.body.text());
  } finally {
    await dispatcher.destroy();
  }
}

function countsIn(metrics: string): ApiServerCounts {
  const lines = metrics.split('\n').filter((line) => line.startsWith('apiserver_request_total{'));
  const count = (...labels: readonly string[]) =>
    lines
      .filter((line) => labels.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  const written = ['code="200"', 'subresource="status"', 'verb="PUT"'];
  return {
    policyStatusWrites: count('resource="rolealertpolicies"', ...written),
    connectionStatusWrites:
      count('resource="rolealertconnections"', ...written) +
      count('resource="clusterrolealertconnections"', ...written),
    eventsCreated: count('code="201"', 'resource="events"', 'group="events.k8s.io"', 'verb="POST"'),
  };
}

export function countsSince(before: ApiServerCounts, now: ApiServerCounts): ApiServerCounts {
  return {
    policyStatusWrites: now.policyStatusWrites - before.policyStatusWrites,
    connectionStatusWrites: now.connectionStatusWrites - before.connectionStatusWrites,
    eventsCreated: now.eventsCreated - before.eventsCreated,
  };
}
