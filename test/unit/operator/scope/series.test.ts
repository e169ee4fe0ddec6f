// Metric series are of objects that exist: what is in progress when one is deleted must not bring them back.
import { expect, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import { errorOf } from '../../../support/builders/errors.ts';
import { alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

/** A world where a list of `subscriptions/a` is in progress, and drift to be corrected after it. */
async function inTheMiddleOfAList(): Promise<FakeWorld> {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set('subscriptions/a', [alert()]);
  world.apply(connection());
  world.apply(policy());
  world.apply(policy({ name: 'second' }));
  world.controller.start();
  await world.clock.advance(1000);
  world.turn('subscriptions/a', alert().name, false);
  world.duringList = () => sleep(world.clock, 2000);
  await world.clock.advance(minuteMs);
  return world;
}

test('a policy that is deleted during a list has no series afterwards', async () => {
  const world = await inTheMiddleOfAList();
  expect(world.series).toEqual(['team/owners', 'team/second']);
  world.remove(policy({ name: 'second' }));
  await world.clock.advance(24 * 60 * minuteMs);
  expect(world.series).toEqual(['team/owners']);
});

test('a connection that is deleted during a list has no series afterwards, even while policies still name it', async () => {
  const world = await inTheMiddleOfAList();
  expect([...world.connectionSeries]).toEqual(['team/prod']);
  world.remove(connection());
  world.apply(policy({ name: 'third' }));
  await world.clock.advance(24 * 60 * minuteMs);
  expect([...world.connectionSeries]).toEqual([]);
});

test('a connection that comes back has series again', async () => {
  const world = await inTheMiddleOfAList();
  world.remove(connection());
  await world.clock.advance(minuteMs);
  world.apply(connection());
  await world.clock.advance(minuteMs);
  expect([...world.connectionSeries]).toEqual(['team/prod']);
});

test('a connection shows when its oldest unverified write was sent, until a list shows the write', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.doesStick = false;
  world.live.set('subscriptions/a', [alert({ isActive: false })]).set('subscriptions/b', [alert({ isActive: false })]);
  world.apply(connection());
  world.apply(policy());
  world.controller.start();
  const sinceMs = world.clock.now();
  await world.clock.advance(1000);
  world.apply(policy({ name: 'second', spec: { scope: 'subscriptions/b' } }));
  await world.clock.advance(1000);
  expect(world.controller.unverifiedSinceMs(connection())).toBe(sinceMs);
  for (const scope of ['subscriptions/a', 'subscriptions/b']) world.turn(scope, alert().name, true);
  await world.clock.advance(minuteMs);
  expect(world.controller.unverifiedSinceMs(connection())).toBeUndefined();
});

test('a write that the service refused is not unverified', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set('subscriptions/a', [alert({ isActive: false })]);
  world.onRequest = ({ kind }) => {
    if (kind === 'patch') throw errorOf('alert-refused', 'made to fail');
  };
  world.apply(connection());
  world.apply(policy());
  world.controller.start();
  await world.clock.advance(1000);
  expect(world.condition('owners', 'Ready')).toBe('False/CorrectionFailed');
  expect(world.controller.unverifiedSinceMs(connection())).toBeUndefined();
});
