// An operator of some namespaces (`--watch-namespaces`) serves every ClusterRoleAlertConnection that it may list, also those of others: on a
// shared API server it counts the status writes of those as well.
import { expect, it } from 'vitest';

import { addScope, createFixture, createPolicy, namespace } from './fixture.ts';
import { readResources } from './kube/resources.ts';
import { serviceOrigin, type World } from './world.ts';

const resources = await readResources();
const scope = 'subscriptions/one';
const minuteMs = 60_000;
/** By kind, as the metrics count them. */
const writesIn = (metrics: string) =>
  Object.fromEntries(
    [...metrics.matchAll(/^rolealerts_status_writes_total\{kind="(\w+)"\} (\d+)$/gm)].map(([, kind, count]) => [
      kind,
      Number(count),
    ]),
  );

function createForeign({ api }: World): void {
  api.writes.create(api.resource('clusterrolealertconnections'), undefined, {
    metadata: { name: 'foreign' },
    spec: {
      endpoint: { baseURL: serviceOrigin },
      auth: { tokenSecretRef: { name: 'credential', key: 'token' } },
      access: [],
    },
  });
}

/** The status writes until all is quiet. In the half hour after that there are none. */
async function run(prepare: (world: World) => void): Promise<Readonly<Record<string, number>>> {
  const world = createFixture(resources, { seed: 1, values: { watchNamespaces: [namespace], leaderElect: false } });
  addScope(world, scope, { A: false });
  createPolicy(world, 'owners', { scope, interval: '1m', alerts: [{ name: 'A', state: 'Active' }] });
  prepare(world);
  const replica = await world.startReplica();
  await world.time.runUntil(10 * minuteMs);
  const writes = writesIn(await replica.scrape());
  await world.time.runUntil(40 * minuteMs);
  expect(writesIn(await replica.scrape())).toEqual(writes);
  await replica.stop();
  return writes;
}

it('writes one status more beside a ClusterRoleAlertConnection that no policy of it uses', async () => {
  expect(await run(() => undefined)).toEqual({ policy: 1, connection: 2 });
  expect(await run(createForeign)).toEqual({ policy: 1, connection: 3 });
});
