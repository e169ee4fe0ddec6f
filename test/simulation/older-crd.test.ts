// The operator is newer than the CRDs, for example after a rollback of the manifests: the API server drops members of a status that it does
// not know. A limit that it does not keep would begin anew with each start, so no alert is deactivated.
import { expect, it } from 'vitest';

import { addScope, conditionsOf, connectionOf, createFixture, createPolicy } from './fixture.ts';
import { readResources } from './kube/resources.ts';

const resources = await readResources();
const scope = 'subscriptions/one';
const minuteMs = 60_000;

it('deactivates nothing, says so in one condition, and goes on once the CRDs are as new', async () => {
  const world = createFixture(resources, { seed: 1, values: { leaderElect: false } });
  const { unknownMembers } = world.api.writes;
  unknownMembers.add('recentDeactivations');
  addScope(world, scope, { A: true, B: false });
  const dismissal = { reason: 'tracked in SEC-1', incidents: ['x'] };
  createPolicy(world, 'owners', {
    scope,
    interval: '5m',
    alerts: [
      { name: 'A', state: 'Inactive', dismissal },
      { name: 'B', state: 'Active' },
    ],
  });
  let writes = 0;
  world.api.store.onChange(({ object, previous }) => {
    if (object.status !== previous?.status) writes++;
  });
  const first = await world.startReplica();
  await world.time.runUntil(10 * minuteMs);
  const ready = () => conditionsOf(connectionOf(world))[0];
  const deactivations = () =>
    world.service.calls.filter(({ kind, isActive }) => kind === 'patch' && isActive === false);
  expect(ready()).toBe('Ready=False/CRDOutdated');
  expect([deactivations(), world.service.find(scope, 'B')?.isActive]).toEqual([[], true]);
  writes = 0;
  await world.time.runUntil(70 * minuteMs);
  expect(writes).toBe(0);
  await first.stop();
  await world.startReplica();
  await world.time.runUntil(80 * minuteMs);
  expect(deactivations()).toEqual([]);
  unknownMembers.clear();
  await world.time.runUntil(100 * minuteMs);
  expect(world.service.find(scope, 'A')?.isActive).toBe(false);
  expect(ready()).toBe('Ready=True/Connected');
});
