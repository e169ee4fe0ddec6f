// The status and the events of a suspended policy: it is ready, because nothing is left to do, and its end is reported once.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import type { RoleAlertPolicySpec } from '../../../../src/policy/generated/role-alert-policy.ts';
import { alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';

function worldWith(spec: (nowMs: number) => Partial<RoleAlertPolicySpec>, others = [] as string[]): ControllerWorld {
  const world = new ControllerWorld({ intervalMs: 15 * minuteMs });
  world.live.set(scope, [alert({ isActive: false })]);
  world.apply(connection(), policy({ spec: spec(world.clock.now()) }));
  for (const name of others) world.apply(policy({ name, spec: { alerts: [], mode: 'Observe' } }));
  world.controller.start();
  return world;
}

const until = (ms: number) => ({ suspend: true, suspendUntil: new Date(ms).toISOString() });
const isActive = (world: ControllerWorld) => world.live.get(scope)?.[0]?.isActive;
const ended = ({ events }: ControllerWorld) => events.filter((event) => event.startsWith('SuspensionEnded'));

test.each([
  ['alone on its scope', []],
  ['beside a policy that is not suspended', ['other']],
])('a suspension %s ends at its time, and an event reports it once', async (_, others) => {
  const world = worldWith((nowMs) => until(nowMs + 40 * minuteMs), others);
  await world.clock.advance(40 * minuteMs - 1000);
  expect(world.condition('owners', 'Ready')).toBe('True/Suspended');
  expect([isActive(world), ended(world)]).toEqual([false, []]);
  await world.clock.advance(1000);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  expect([isActive(world), ended(world)]).toEqual([true, ['SuspensionEnded owners']]);
  await world.clock.advance(60 * minuteMs);
  expect(ended(world)).toEqual(['SuspensionEnded owners']);
});

test('an edit that ends a suspension before its time emits no event', async () => {
  const world = worldWith((nowMs) => until(nowMs + 40 * minuteMs));
  await world.clock.advance(minuteMs);
  world.apply(policy({ metadata: { generation: 2 }, status: world.policies.get('team/owners')?.status }));
  await world.clock.advance(0);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  expect(ended(world)).toEqual([]);
});

test('a policy that is created suspended on a scope that does not exist is ready, and sends nothing', async () => {
  const world = new ControllerWorld();
  world.onRequest = () => {
    throw new AlertsError('scope-not-found', 'no such scope');
  };
  world.apply(connection(), policy({ spec: { suspend: true } }));
  await world.start(3_600_000);
  expect(world.condition('owners', 'Ready')).toBe('True/Suspended');
  expect([world.requests.length, world.policies.writes]).toEqual([0, 1]);
});

test('a suspended policy no longer misses a connection that was created since', async () => {
  const world = new ControllerWorld();
  world.apply(policy({ spec: { suspend: true } }));
  await world.start(1000);
  expect(world.condition('owners', 'ConnectionReady')).toBe('False/ConnectionNotFound');
  world.apply(connection());
  await world.clock.advance(1000);
  expect(world.condition('owners', 'ConnectionReady')).toBe('absent');
  expect(world.condition('owners', 'Ready')).toBe('True/Suspended');
});
