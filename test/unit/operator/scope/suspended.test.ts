// The status of a suspended policy: it is ready, because nothing is left to do.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { alert, connection, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';

test('a policy that is created suspended on a scope that does not exist is ready, and sends nothing', async () => {
  const world = new FakeWorld();
  world.onRequest = () => {
    throw new AlertsError('scope-not-found', 'no such scope');
  };
  world.apply(connection());
  world.apply(policy({ spec: { suspend: true } }));
  world.controller.start();
  await world.clock.advance(3_600_000);
  expect(world.condition('owners', 'Ready')).toBe('True/Suspended');
  expect([world.requests.length, world.policies.writes]).toEqual([0, 1]);
});

test('a policy that is suspended after it was decided is ready', async () => {
  const world = new FakeWorld();
  world.live.set(scope, [alert()]);
  world.apply(connection());
  world.apply(policy());
  world.controller.start();
  await world.clock.advance(0);
  const { status } = world.policies.get('team/owners') ?? {};
  world.apply(policy({ spec: { suspend: true }, metadata: { generation: 2 }, status }));
  await world.clock.advance(0);
  expect(world.condition('owners', 'Ready')).toBe('True/Suspended');
  expect(world.policies.get('team/owners')?.status?.observedGeneration).toBe(2);
});

test('a suspended policy no longer misses a connection that was created since', async () => {
  const world = new FakeWorld();
  world.apply(policy({ spec: { suspend: true } }));
  world.controller.start();
  await world.clock.advance(1000);
  expect(world.condition('owners', 'ConnectionReady')).toBe('False/ConnectionNotFound');
  world.apply(connection());
  await world.clock.advance(1000);
  expect(world.condition('owners', 'ConnectionReady')).toBe('absent');
  expect(world.condition('owners', 'Ready')).toBe('True/Suspended');
});
