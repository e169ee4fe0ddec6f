// The wait of `rolealerts reconcile --wait` against a scripted API server over a socket: which policies count as handled, and what
// remains when the watch brings something else.
import { afterEach, beforeEach, expect, test } from 'vitest';

import { awaitPolicies } from '../../src/commands/cluster/await-policies.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ApiServerConnection } from '../../src/operator/kube/api-server-connection.ts';
import { createKubeTransport } from '../../src/operator/kube/transport.ts';
import type { RoleAlertPolicy } from '../../src/policy/resources.ts';
import { policy } from '../support/builders/objects.ts';
import { until } from '../support/rigs/until.ts';
import { connectTo, page, startWatchServer, type WatchServer } from '../support/servers/watch-server.ts';

const edit = { kind: 'reconcile', requestedAt: 'now' } as const;
const hourMs = 3_600_000;

let server: WatchServer;
let connection: ApiServerConnection;
let stopping: AbortController;

beforeEach(async () => {
  server = await startWatchServer();
  connection = connectTo(server.url);
  stopping = new AbortController();
});

afterEach(async () => {
  await connection.close();
  await server.stop();
});

const requested = (name: string, change: Partial<RoleAlertPolicy['metadata']> = {}) =>
  policy({ name, metadata: { resourceVersion: '2', annotations: { 'rolealerts.dev/requestedAt': 'now' }, ...change } });
const handled = (name: string, resourceVersion: string, change: Partial<RoleAlertPolicy['metadata']> = {}) => ({
  ...requested(name, { resourceVersion, ...change }),
  status: { observedGeneration: 1, lastHandledReconcileAt: 'now' },
});

function wait(edited: readonly RoleAlertPolicy[], timeoutMs = hourMs) {
  const done: string[] = [];
  const transport = createKubeTransport({ connection, clock: systemClock });
  const unhandled = awaitPolicies(
    { transport, namespace: 'team', signal: stopping.signal, note: () => undefined },
    {
      edited,
      edit,
      timeoutMs,
      onHandled: ({ metadata }) => void done.push(metadata.name),
    },
  );
  const remaining = unhandled.then((all) =>
    all.map(({ edited: { metadata }, last }) => [metadata.name, last !== undefined]),
  );
  return { done, remaining };
}

test('a policy that was handled before the watch began counts, and the others count when the watch shows it', async () => {
  server.answerLists(page([handled('a', '3'), requested('b')], '3'));
  const { done, remaining } = wait([requested('a'), requested('b')]);
  const watch = await server.nextWatch();
  await until(() => done.length === 1, 'a is handled');
  watch.send({ type: 'MODIFIED', object: handled('b', '4') });
  expect(await remaining).toEqual([]);
  expect(done).toEqual(['a', 'b']);
});

test('a policy that was deleted and created again never counts as handled', async () => {
  server.answerLists(page([requested('a')], '3'));
  const { done, remaining } = wait([requested('a')]);
  const watch = await server.nextWatch();
  const other = handled('a', '5', { uid: 'other' });
  watch.send({ type: 'DELETED', object: requested('a', { resourceVersion: '4' }) }, { type: 'ADDED', object: other });
  await until(() => server.requests.length >= 2, 'the events are sent');
  stopping.abort();
  await remaining;
  expect(done).toEqual([]);
});
