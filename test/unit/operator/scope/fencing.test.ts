// A process that is not surely the only one that works sends no PATCH, asked in the tick of the send; and what it could not send
// is not forgotten.
import { expect, test } from 'vitest';

import { connection, firing, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const second = 1000;
const owners = policy();

function drifted() {
  const world = new FakeWorld();
  world.live.set(scope, [firing([], { isActive: false })]);
  world.apply(connection());
  world.apply(owners);
  return world;
}

test('nothing is sent while it may not write, and the correction follows within seconds once it may', async () => {
  const world = drifted();
  world.mayWrite = false;
  world.controller.start();
  await world.clock.advance(20 * second);
  expect(world.count('patch')).toBe(0);
  world.mayWrite = true;
  await world.clock.advance(60 * second);
  expect(world.count('patch')).toBe(1);
  expect(world.condition(owners.metadata.name, 'Ready')).toBe('True/Succeeded');
});

test('a right that ends between the list and the send counts', async () => {
  const world = drifted();
  world.onRequest = ({ kind }) => {
    if (kind === 'list') world.mayWrite = false;
  };
  world.controller.start();
  await world.clock.advance(3600 * second);
  expect(world.count('list')).toBeGreaterThan(1);
  expect(world.count('patch')).toBe(0);
});
