// Two writers of one status: what another client changed is repaired by a reconcile, each time later.
import { expect, test } from 'vitest';

import { pendingStatus } from '../../../../src/policy/resources.ts';
import { active, alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const hourMs = 60 * minuteMs;

async function atRest(): Promise<FakeWorld> {
  const world = new FakeWorld({ intervalMs: 24 * hourMs });
  world.live.set(scope, [alert()]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [active] } }));
  world.controller.start();
  await world.clock.advance(minuteMs);
  return world;
}

const statusOf = (world: FakeWorld) => world.policies.get('team/owners')?.status;

function wipe(world: FakeWorld): void {
  const now = world.policies.get('team/owners');
  if (now && now.status?.observedGeneration !== -1) world.apply({ ...now, status: pendingStatus });
}

test('a status that another client removed once is decided again a second later', async () => {
  const world = await atRest();
  const lists = world.count('list');
  wipe(world);
  await world.clock.advance(999);
  expect(statusOf(world)).toEqual(pendingStatus);
  await world.clock.advance(2);
  expect(statusOf(world)).toMatchObject({ observedGeneration: 1, summary: { inSync: 1 } });
  expect(world.count('list') - lists).toBe(1);
});

test('a client that removes a status every second costs a list and a write every five minutes', async () => {
  const world = await atRest();
  const [lists, writes] = [world.count('list'), world.policies.writes];
  for (let second = 0; second < 3600; second++) {
    wipe(world);
    await world.clock.advance(1000);
  }
  // 1, 2, 4 … 256 s and then every 300 s.
  const repairs = 9 + Math.floor((3600 - 511) / 301);
  expect([world.count('list') - lists, world.policies.writes - writes]).toEqual([repairs, repairs]);
  expect(world.warnings.filter((line) => line.includes('status changed by another client'))).toHaveLength(1);
  await world.clock.advance(hourMs);
  const quiet = world.policies.writes;
  wipe(world);
  await world.clock.advance(1001);
  expect(world.policies.writes).toBe(quiet + 1);
});

test('a policy that is gone, and a controller that has stopped, repair nothing', async () => {
  const world = await atRest();
  const { writes } = world.policies;
  wipe(world);
  world.remove(policy());
  await world.clock.advance(minuteMs);
  world.apply(policy({ spec: { alerts: [active] } }));
  await world.clock.advance(minuteMs);
  const after = world.policies.writes;
  wipe(world);
  await world.controller.stop();
  await world.clock.advance(minuteMs);
  expect([after - writes, world.policies.writes - after]).toEqual([1, 0]);
});
