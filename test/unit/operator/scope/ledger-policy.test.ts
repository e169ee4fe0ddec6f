// The policy that an entry of the ledger names: one that declares the dismissal now.
import { expect, test } from 'vitest';

import { connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const hourMs = 3_600_000;
const dismissal = inactive({ incidents: ['a'] });
const first = policy({ name: 'first', createdAt: '2026-01-01T00:00:00Z', spec: { alerts: [dismissal] } });
const second = policy({ name: 'second', createdAt: '2026-01-01T01:00:00Z', spec: { alerts: [dismissal] } });
const third = policy({ name: 'third', createdAt: '2026-01-01T02:00:00Z', spec: { alerts: [dismissal] } });

const named = (world: FakeWorld) => world.connections.get('team/prod')?.status?.dismissals?.map(({ policy: by }) => by);

async function dismissedBy(...policies: readonly (typeof first)[]): Promise<FakeWorld> {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  for (const each of policies) world.apply(each);
  world.controller.start();
  await world.clock.advance(hourMs);
  expect(named(world)).toEqual([`team/${policies[0]?.metadata.name}`]);
  return world;
}

test('stays the one that deactivated the alert while it declares the dismissal, though an older one joins', async () => {
  const world = await dismissedBy(second);
  world.apply(first);
  await world.clock.advance(3 * hourMs);
  expect(named(world)).toEqual(['team/second']);
});

test('is the next one once it is deleted, with one write and without a PATCH', async () => {
  const world = await dismissedBy(first, third, second);
  const writes = world.connections.writes;
  world.remove(first);
  await world.clock.advance(10_000);
  expect(named(world)).toEqual(['team/second']);
  await world.clock.advance(5 * hourMs);
  expect([named(world), world.count('patch')]).toEqual([['team/second'], 1]);
  // One more for the number of policies.
  expect(world.connections.writes - writes).toBeLessThanOrEqual(2);
});

test('is the next one once it changes its mind without winning', async () => {
  const world = await dismissedBy(first, second);
  world.apply({ ...first, metadata: { ...first.metadata, generation: 2 }, spec: { ...first.spec, alerts: [] } });
  await world.clock.advance(10_000);
  expect(named(world)).toEqual(['team/second']);
});

test('is one that only observes, when no other declares the dismissal', async () => {
  const world = await dismissedBy(first);
  world.apply({ ...second, spec: { ...second.spec, mode: 'Observe' } });
  world.remove(first);
  await world.clock.advance(10_000);
  expect([named(world), world.count('patch')]).toEqual([['team/second'], 1]);
});
