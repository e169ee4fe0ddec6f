// A suspension with an end: nothing is listed before it, and drift is corrected at it without any edit.
import { expect, test } from 'vitest';

import type { RoleAlertPolicySpec } from '../../../../src/policy/generated/role-alert-policy.ts';
import { type ErrorCode, errorOf } from '../../../support/builders/errors.ts';
import { alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

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
  expect(world.condition('owners', 'Ready')).toBe('True/Suspended');
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

test.each<[string, ErrorCode | undefined]>([
  ['whose service answers', undefined],
  ['that the service refuses to list', 'service-rejected'],
  ['that the service throttles', 'service-busy'],
])('each of several suspended policies on a scope %s wakes at its own end', async (_, code) => {
  const ends = { first: 40, second: 41, third: 85 };
  const world = worldWith((nowMs) => until(nowMs + ends.first * minuteMs));
  world.onRequest = () => {
    if (code) throw errorOf(code, 'as the test wants', { retryAfterMs: 60 * minuteMs });
  };
  const startMs = world.clock.now();
  world.apply(policy({ name: 'second', spec: { alerts: [], ...until(startMs + ends.second * minuteMs) } }));
  world.apply(policy({ name: 'third', spec: { alerts: [], ...until(startMs + ends.third * minuteMs) } }));
  world.apply(policy({ name: 'endless', spec: { alerts: [], suspend: true } }));
  const names = ['owners', 'second', 'third', 'endless'];
  const suspended = () => names.filter((name) => world.condition(name, 'Ready')?.endsWith('/Suspended'));
  const shown = [];
  for (const end of [ends.first, ends.second, ends.third]) {
    await world.clock.advance(startMs + end * minuteMs - 1 - world.clock.now());
    shown.push(suspended());
    await world.clock.advance(1);
    shown.push(suspended());
  }
  const [all, two, one, none] = [names, names.slice(1), names.slice(2), names.slice(3)];
  expect(shown).toEqual([all, two, two, one, one, none]);
});
