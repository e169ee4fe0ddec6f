// The record of a dismissal over time: how long it stays after the alert is active again, and what it outlasts.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import type { Dismissal } from '../../../../src/policy/generated/role-alert-policy.ts';
import { alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const hourMs = 3_600_000;
const quiet = policy({ spec: { alerts: [inactive({ maxIncidents: 2 })] } });

async function dismissed() {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['6f1c'])]);
  world.apply(connection());
  world.apply(quiet);
  world.controller.start();
  await world.clock.advance(0);
  expect(directions(world)).toEqual([false]);
  expect(recorded(world)).toEqual([alertName]);
  return world;
}

const directions = (world: FakeWorld) =>
  world.requests.filter(({ kind }) => kind === 'patch').map(({ isActive }) => isActive);
const recorded = (world: FakeWorld) =>
  (world.connections.get('team/prod')?.status?.dismissals ?? []).map(({ alert }) => alert);

test('it goes once the alert is active again for good', async () => {
  const world = await dismissed();
  world.remove(quiet);
  await world.clock.advance(0);
  expect(directions(world)).toEqual([false, true]);
  await world.clock.advance(2 * hourMs);
  expect(recorded(world)).toEqual([]);
  // Nothing causes a reconcile there any more.
  const lists = world.count('list');
  await world.clock.advance(24 * hourMs);
  expect(world.count('list')).toBe(lists);
});

test('a dismissal ends when its connection lowers maxDismissal below what is left of it', async () => {
  const world = await dismissed();
  const prod = connection();
  const limits = { ...prod.spec.limits, maxDismissal: '24h' };
  world.apply({ ...prod, metadata: { ...prod.metadata, generation: 2 }, spec: { ...prod.spec, limits } });
  await world.clock.advance(0);
  expect(directions(world)).toEqual([false, true]);
  expect(world.condition('owners', 'Stalled')).toBe('True/DismissalTooLong');
});

test.each<[string, Partial<Dismissal>]>([
  ['a maximum without an end', { maxIncidents: 100_000 }],
  ['a blank reason', { reason: ' '.repeat(8), incidents: ['6f1c'] }],
])('what an older schema took is activated again: %s', async (_, bounds) => {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['6f1c'], { isActive: false })]);
  const entry = { scope, alert: alertName, policy: 'team/owners', since: '2025-12-01T00:00:00Z' };
  world.apply({ ...connection(), status: { observedGeneration: 1, dismissals: [entry] } });
  const dismissal = { reason: 'tracked in SEC-1182', ...bounds };
  world.apply(policy({ spec: { alerts: [{ name: alertName, state: 'Inactive', dismissal }] } }));
  world.controller.start();
  await world.clock.advance(0);
  expect(directions(world)).toEqual([true]);
  expect(world.condition('owners', 'Stalled')).toBe('True/DismissalIncomplete');
  await world.clock.advance(hourMs);
  expect(directions(world)).toEqual([true]);
});

test('it outlasts an activation by a person, because the alert is deactivated again', async () => {
  const world = await dismissed();
  world.turn(scope, alertName, true);
  await world.clock.advance(hourMs);
  expect(directions(world)).toEqual([false, false]);
  expect(recorded(world)).toEqual([alertName]);
});

test('it outlasts an alert that is not listed for a while, and is then acted on', async () => {
  const world = await dismissed();
  world.live.set(scope, []);
  world.remove(quiet);
  await world.clock.advance(hourMs);
  expect(recorded(world)).toEqual([alertName]);
  world.live.set(scope, [firing(['6f1c'], { isActive: false })]);
  await world.clock.advance(hourMs);
  expect(directions(world)).toEqual([false, true]);
});

test('it outlasts a wiped status', async () => {
  const world = await dismissed();
  world.apply({ ...connection(), status: { observedGeneration: -1 } });
  await world.clock.advance(hourMs);
  expect(recorded(world)).toEqual([alertName]);
});

test('a new operator finds it in the status and ends what no policy declares', async () => {
  const world = await dismissed();
  await world.controller.stop();
  const next = new FakeWorld();
  next.live.set(scope, [firing(['6f1c'], { isActive: false })]);
  next.apply(world.connections.get('team/prod') ?? connection());
  next.controller.start();
  await next.clock.advance(0);
  expect(directions(next)).toEqual([true]);
});

test.each([
  ['this process might not write', (world: FakeWorld) => void (world.mayWrite = false)],
  [
    'the service asked to wait before it',
    (world: FakeWorld) => {
      world.beforePatch = async () => {
        throw new AlertsError('service-busy', 'later', { retryAfterMs: 1000 });
      };
    },
  ],
  [
    'the service could not be reached for it',
    (world: FakeWorld) => {
      world.beforePatch = async () => {
        throw new AlertsError('service-unreachable', 'refused to connect');
      };
    },
  ],
])('a deactivation that was never sent, because %s, leaves nothing behind', async (_, prevent) => {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['6f1c'])]);
  world.apply(connection());
  world.apply(quiet);
  prevent(world);
  world.controller.start();
  await world.clock.advance(100);
  expect(recorded(world)).toEqual([]);
  expect(world.connections.get('team/prod')?.status?.recentDeactivations ?? []).toEqual([]);
  world.remove(quiet);
  await world.clock.advance(500);
  world.mayWrite = true;
  world.beforePatch = async () => undefined;
  // By hand.
  world.turn(scope, alertName, false);
  await world.clock.advance(hourMs);
  expect(directions(world)).toEqual([]);
});

test('an alert that was deactivated by hand while no PATCH could be sent is not reported as deactivated by the operator', async () => {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['6f1c'])]);
  world.apply(connection());
  world.apply(quiet);
  world.beforePatch = async () => {
    throw new AlertsError('service-unreachable', 'refused to connect');
  };
  world.controller.start();
  await world.clock.advance(100);
  world.turn(scope, alertName, false);
  await world.clock.advance(hourMs);
  expect(world.events.filter((event) => event.startsWith('AlertDeactivated'))).toEqual([]);
});

test('a deactivation that may have been applied keeps its entry', async () => {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['6f1c'])]);
  world.apply(connection());
  world.apply(quiet);
  world.onRequest = ({ kind }) => {
    if (kind === 'patch') throw new AlertsError('service-unreachable', 'reset after it was written');
  };
  world.controller.start();
  await world.clock.advance(100);
  expect(recorded(world)).toEqual([alertName]);
});
