// A suspension with an end: nothing is listed before it, and drift is corrected at it without any edit.
import { expect, test } from 'vitest';

import type { RoleAlertPolicySpec } from '../../../src/policy/generated/role-alert-policy.ts';
import { alert, connection, minuteMs, policy } from '../../support/builders/objects.ts';
import { FakeWorld } from '../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';

function worldWith(spec: (nowMs: number) => Partial<RoleAlertPolicySpec>, others = [] as string[]): FakeWorld {
  const world = new FakeWorld({ intervalMs: 15 * minuteMs });
  world.live.set(scope, [alert({ isActive: false })]);
  world.apply(connection());
  world.apply(policy({ spec: spec(world.clock.now()) }));
  for (const name of others) world.apply(policy({ name, spec: { alerts: [], mode: 'Observe' } }));
  world.controller.start();
  return world;
}

const until = (ms: number) => ({ suspend: true, suspendUntil: new Date(ms).toISOString() });
const isActive = (world: FakeWorld) => world.live.get(scope)?.[0]?.isActive;
const ended = ({ events }: FakeWorld) => events.filter((event) => event.startsWith('SuspensionEnded'));

test.each([
  ['alone on its scope', []],
  ['beside a policy that is not suspended', ['other']],
])('a suspension %s ends at its time, and an event reports it once', async (_, others) => {
  const world = worldWith((nowMs) => until(nowMs + 40 * minuteMs), others);
  await world.clock.advance(40 * minuteMs - 1000);
  expect(world.condition('owners', 'Ready')).toBe('Unknown/Suspended');
  expect([isActive(world), ended(world)]).toEqual([false, []]);
  await world.clock.advance(1000);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  expect([isActive(world), ended(world)]).toEqual([true, ['SuspensionEnded owners']]);
  await world.clock.advance(60 * minuteMs);
  expect(ended(world)).toEqual(['SuspensionEnded owners']);
});

test('a suspension lists nothing before its end', async () => {
  const world = worldWith((nowMs) => until(nowMs + 40 * minuteMs));
  await world.clock.advance(40 * minuteMs - 1000);
  expect(world.requests).toEqual([]);
});

test('a suspension whose end is past suspends nothing', async () => {
  const world = worldWith((nowMs) => until(nowMs - 1000));
  await world.clock.advance(0);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  expect([isActive(world), ended(world)]).toEqual([true, []]);
});

test('an edit that ends a suspension before its time emits no event', async () => {
  const world = worldWith((nowMs) => until(nowMs + 40 * minuteMs));
  await world.clock.advance(minuteMs);
  world.apply(policy({ metadata: { generation: 2 }, status: world.policies.get('team/owners')?.status }));
  await world.clock.advance(0);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  expect(ended(world)).toEqual([]);
});
