// Two operators that serve one connection, because neither elects a leader or the selectors of two shards overlap: they come to rest, and
// neither forgets what the other has deactivated.
import { describe, expect, it } from 'vitest';

import { addScope, connectionOf, createFixture, createPolicy, deletePolicy, namespace } from './fixture.ts';
import { readResources } from './kube/resources.ts';
import type { World } from './world.ts';

const resources = await readResources();
const scope = 'subscriptions/one';
const minuteMs = 60_000;
const dismissed = (name: string) => ({
  name,
  state: 'Inactive',
  dismissal: { reason: 'tracked in SEC-1182', incidents: ['x'] },
});

/** Counts the versions of statuses from now on. */
function countWrites(world: World): () => number {
  let writes = 0;
  world.api.store.onChange(({ object, previous }) => {
    if (object.status !== previous?.status) writes++;
  });
  return () => writes;
}

it('without a leader', async () => {
  const world = createFixture(resources, { seed: 1, values: { leaderElect: false } });
  addScope(world, scope, { A: true, B: true });
  createPolicy(world, 'owners', { scope, interval: '5m', alerts: [dismissed('A')] });
  const first = await world.startReplica();
  await world.time.runUntil(5 * minuteMs);
  const second = await world.startReplica();
  await world.time.runUntil(10 * minuteMs);
  second.process.freeze();
  createPolicy(world, 'more', { scope, interval: '5m', alerts: [dismissed('B')] });
  await world.time.runUntil(world.time.nowMs + 10_000);
  second.process.thaw();
  const writes = countWrites(world);
  await world.time.runUntil(world.time.nowMs + 60 * minuteMs);
  expect(world.service.find(scope, 'B')?.isActive).toBe(false);
  expect(writes()).toBeLessThan(60);
  first.kill();
  await world.time.runUntil(world.time.nowMs + minuteMs);
  deletePolicy(world, 'more');
  await world.time.runUntil(world.time.nowMs + 10 * minuteMs);
  expect([world.service.find(scope, 'A')?.isActive, world.service.find(scope, 'B')?.isActive]).toEqual([false, true]);
});

describe('while a shard is added before the selector of the other is narrowed', () => {
  const label = { 'rolealerts.dev/shard': 'a' };

  it.each([0, 80, 160])('%i ms after a dismissal was declared', async (delayMs) => {
    const world = createFixture(resources, { seed: 1, values: { leaderElect: true } });
    const { api } = world;
    const { spec } = connectionOf(world) ?? {};
    const labelled = { metadata: { name: 'prod', labels: label }, spec };
    api.writes.replace(api.resource('rolealertconnections'), namespace, 'prod', labelled);
    addScope(world, scope, { A: true });
    const base = await world.startReplica({});
    await world.time.runUntil(2 * minuteMs);
    createPolicy(world, 'owners', { scope, interval: '15m', alerts: [dismissed('A')] });
    await world.time.runUntil(world.time.nowMs + delayMs);
    await world.startReplica({ connectionSelector: 'rolealerts.dev/shard=a', leaderElectionId: 'rolealerts-a' });
    const writes = countWrites(world);
    await world.time.runUntil(world.time.nowMs + 10 * minuteMs);
    expect(writes()).toBeLessThan(40);
    void base.stop();
    await world.time.runUntil(world.time.nowMs + minuteMs);
    await world.startReplica({ connectionSelector: 'rolealerts.dev/shard!=a', leaderElectionId: 'rolealerts-rest' });
    await world.time.runUntil(world.time.nowMs + minuteMs);
    deletePolicy(world, 'owners');
    await world.time.runUntil(world.time.nowMs + 60 * minuteMs);
    expect(world.service.find(scope, 'A')?.isActive).toBe(true);
  });
});
