// The ledger beside PATCHes whose response is lost, whose repetition is refused or not confirmed, and lists that lag: what this
// operator may have deactivated stays recorded until a list proves otherwise; only what was never sent is not recorded.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const secondMs = 1000;
const hourMs = 3_600_000;
const quiet = policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } });

const dismissals = (world: FakeWorld) => world.connections.get('team/prod')?.status?.dismissals ?? [];
const isActive = (world: FakeWorld) => world.live.get(scope)?.[0]?.isActive;
const answerLost = () => new AlertsError('service-unreachable', 'reset after the request was sent');

/** The alert is active, a dismissal is declared, and the service's lists lag: no PATCH shows. */
function lagging(): FakeWorld {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(quiet);
  world.doesStick = false;
  return world;
}

/** The lists show what was sent, and follow from now on. */
async function catchUp(world: FakeWorld): Promise<void> {
  world.onRequest = () => undefined;
  world.turn(scope, alertName, false);
  world.doesStick = true;
  await world.clock.advance(24 * hourMs);
}

test('an entry outlives a later try that is not confirmed', async () => {
  const world = lagging();
  world.onRequest = ({ kind }) => {
    if (kind !== 'patch') return;
    // The policy is deleted at this moment, and the watch is late.
    world.serverPolicies.set('team/owners', undefined);
    throw answerLost();
  };
  world.controller.start();
  await world.clock.advance(5 * secondMs);
  expect(dismissals(world)).toHaveLength(1);
  world.remove(quiet);
  await catchUp(world);
  expect([isActive(world), dismissals(world)]).toEqual([true, []]);
});

test.each([false, true])(
  'an entry outlives a refusal after a try without a response (requested: %s)',
  async (isAsked) => {
    const world = lagging();
    let patches = 0;
    world.onRequest = ({ kind }) => {
      if (kind !== 'patch') return;
      patches++;
      throw patches === 1 ? answerLost() : new AlertsError('alert-refused', '403');
    };
    world.controller.start();
    await world.clock.advance(500);
    const seen = world.policies.get('team/owners') ?? quiet;
    const annotations = { 'rolealerts.dev/requestedAt': '1' };
    if (isAsked) world.apply({ ...seen, metadata: { ...seen.metadata, annotations } });
    await world.clock.advance(5 * secondMs);
    expect([patches, dismissals(world).length]).toEqual([2, 1]);
    world.remove(quiet);
    await catchUp(world);
    expect([isActive(world), dismissals(world)]).toEqual([true, []]);
  },
);

test('a first PATCH that is refused keeps its entry until its policy is gone, and one place of the hour', async () => {
  const world = lagging();
  world.onRequest = ({ kind }) => {
    if (kind === 'patch') throw new AlertsError('alert-refused', '403');
  };
  world.controller.start();
  await world.clock.advance(5 * secondMs);
  expect([world.count('patch'), dismissals(world).length]).toEqual([1, 1]);
  expect(world.connections.get('team/prod')?.status?.recentDeactivations).toHaveLength(1);
  world.onRequest = () => undefined;
  world.remove(quiet);
  await catchUp(world);
  expect([isActive(world), dismissals(world)]).toEqual([true, []]);
});

/** Deactivated an hour ago; another writer activated it, and the second PATCH has just gone out, before lists that lag. */
async function deactivatedTwice(onSecond: () => void): Promise<FakeWorld> {
  const world = lagging();
  world.doesStick = true;
  world.controller.start();
  await world.clock.advance(hourMs);
  expect([isActive(world), dismissals(world).length]).toEqual([false, 1]);
  world.turn(scope, alertName, true);
  world.doesStick = false;
  const patches = world.count('patch');
  world.onRequest = ({ kind }) => {
    if (kind === 'patch') onSecond();
  };
  while (world.count('patch') === patches) await world.clock.advance(secondMs);
  return world;
}

test('an entry outlives a second deactivation whose response is lost', async () => {
  const world = await deactivatedTwice(() => {
    throw answerLost();
  });
  world.remove(quiet);
  await world.clock.advance(500);
  expect(dismissals(world)).toHaveLength(1);
  await catchUp(world);
  expect([isActive(world), dismissals(world)]).toEqual([true, []]);
});

test.each([0, 1])(
  'an entry outlives a restart right after a second deactivation (the clock of the new process is %i h ahead)',
  async (hours) => {
    const before = await deactivatedTwice(() => undefined);
    await before.controller.stop(0);
    const world = new FakeWorld();
    world.live.set(scope, before.live.get(scope) ?? []);
    // The policy is deleted meanwhile.
    world.apply(before.connections.get('team/prod') ?? connection());
    await world.clock.advance(before.clock.monotonic() + 3 * secondMs);
    world.clock.stepWall(hours * hourMs);
    world.controller.start();
    await world.clock.advance(secondMs);
    expect(dismissals(world)).toHaveLength(1);
    await catchUp(world);
    expect([isActive(world), dismissals(world)]).toEqual([true, []]);
  },
);

test('a list that was begun before the PATCH could have its effect proves nothing, however late it ends', async () => {
  const world = lagging();
  world.onRequest = ({ kind }) => {
    if (kind === 'patch') throw answerLost();
  };
  world.controller.start();
  await world.clock.advance(0);
  world.remove(quiet);
  // Many pages through a small rate limit: what the first page showed is five minutes old at the end.
  world.duringList = () => new Promise((resolve) => void world.clock.setTimer(300 * secondMs, () => resolve()));
  const shown = world.live.get(scope) ?? [];
  await world.clock.advance(301 * secondMs);
  expect([dismissals(world).length, shown[0]?.isActive]).toEqual([1, true]);
  world.duringList = async () => undefined;
  await catchUp(world);
  expect([isActive(world), dismissals(world)]).toEqual([true, []]);
});

test.each([-1, 1])('a clock that steps by %i hour after the PATCH ends no entry early', async (hours) => {
  const world = lagging();
  world.onRequest = ({ kind }) => {
    if (kind === 'patch') throw answerLost();
  };
  world.controller.start();
  await world.clock.advance(0);
  world.clock.stepWall(hours * hourMs);
  world.remove(quiet);
  await world.clock.advance(30 * secondMs);
  expect(dismissals(world)).toHaveLength(1);
  await catchUp(world);
  expect([isActive(world), dismissals(world)]).toEqual([true, []]);
});

test('an entry ends with the list that proves it, although nothing of the plan can be sent', async () => {
  const world = new FakeWorld();
  const entry = { scope, alert: 'Other', policy: 'team/gone', since: '2025-12-31T00:00:00Z' };
  world.live.set(scope, [firing(['a']), firing(['b'], { name: 'Other' })]);
  world.apply({ ...connection(), status: { observedGeneration: 1, dismissals: [entry] } });
  world.apply(quiet);
  // Deactivations are never confirmed, for as long as it lasts.
  world.serverPolicies.set('team/owners', undefined);
  world.controller.start();
  await world.clock.advance(600 * secondMs);
  expect(dismissals(world)).toEqual([]);
  // A person's decision, about an alert that no policy declares.
  world.turn(scope, 'Other', false);
  await world.clock.advance(hourMs);
  expect([world.count('patch'), world.live.get(scope)?.[1]?.isActive]).toEqual([0, false]);
});

test('the end of a dismissal that no policy declares is reported, although no other action can be sent', async () => {
  const world = new FakeWorld();
  const entry = { scope, alert: 'Other', policy: 'team/gone', since: '2025-12-31T00:00:00Z' };
  world.live.set(scope, [firing(['b'], { name: 'Other', isActive: false })]);
  world.apply({ ...connection(), status: { observedGeneration: 1, dismissals: [entry] } });
  world.apply(quiet);
  world.doesStick = false;
  world.controller.start();
  await world.clock.advance(secondMs / 2);
  expect(world.count('patch')).toBe(1);
  world.live.set(scope, [firing(['a']), firing(['b'], { name: 'Other' })]);
  world.serverPolicies.set('team/owners', undefined);
  await world.clock.advance(600 * secondMs);
  expect(world.events).toContain('DeclarationGone prod');
});

test('a deactivation that was answered 4xx and applied all the same is undone when its policy is deleted', async () => {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(quiet);
  world.onRequest = ({ kind }) => {
    if (kind !== 'patch') return;
    world.onRequest = () => undefined;
    world.turn(scope, alertName, false);
    // As a gateway that repeated the request, or a service that checks its quota after the change.
    throw new AlertsError('alert-refused', 'no');
  };
  world.controller.start();
  await world.clock.advance(10 * secondMs);
  expect([isActive(world), dismissals(world).length]).toEqual([false, 1]);
  world.remove(quiet);
  await world.clock.advance(hourMs);
  expect([isActive(world), dismissals(world)]).toEqual([true, []]);
});
