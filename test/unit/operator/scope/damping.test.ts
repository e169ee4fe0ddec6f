// Damping as a count of what is sent: at most so many deactivations of one alert within any window, whatever happens to the alert, to its
// list, to the policy and to its status meanwhile.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { sleep } from '../../../../src/lib/clock.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { requestedAtAnnotation, type RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { alert, alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

function worldOf(spec: Partial<RoleAlertPolicy['spec']>): FakeWorld {
  const world = new FakeWorld({ intervalMs: minuteMs });
  const prod = connection();
  world.apply({ ...prod, spec: { ...prod.spec, limits: { ...prod.spec.limits, deactivationsPerHour: 100 } } });
  world.apply(policy({ spec }));
  return world;
}

const sentOff = (world: FakeWorld, name = alertName) =>
  world.requests.filter(
    ({ kind, isActive, alert: sent }) =>
      kind === 'patch' && isActive === false && sent?.toLowerCase() === name.toLowerCase(),
  ).length;

/** Others activate the alert right after each reconcile. */
async function fight(world: FakeWorld, rounds: number, everyMs = minuteMs): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await world.clock.advance(everyMs);
    world.turn(scope, alertName, true);
  }
}

const dismissing = { alerts: [inactive({ maxIncidents: 5 })] };

test.each([10, 130, 300])('damping holds beside %i guarded alerts', async (count) => {
  const world = worldOf({ ...dismissing, unlisted: { state: 'Active', minSeverity: 'Low' } });
  const guarded = Array.from({ length: count }, (_, index) => alert({ name: `Guarded${index}` }));
  world.live.set(scope, [...guarded, firing(['a'])]);
  world.controller.start();
  await fight(world, 60);
  expect(sentOff(world)).toBe(3);
});

test.each([alertName, alertName.toLowerCase()])(
  'damping outlasts an alert that is absent for a while, declared as %s',
  async (name) => {
    const world = worldOf({ alerts: [{ ...inactive({ maxIncidents: 5 }), name }] });
    world.controller.start();
    for (let round = 0; round < 30; round++) {
      world.live.set(scope, []);
      await world.clock.advance(minuteMs);
      world.live.set(scope, [firing(['a'])]);
      await world.clock.advance(minuteMs);
    }
    expect(sentOff(world)).toBe(3);
  },
);

test('an alert that is activated again before each verifying list is deactivated three times in six hours', async () => {
  const world = worldOf(dismissing);
  world.live.set(scope, [firing(['a'])]);
  world.doesStick = false;
  world.controller.start();
  await world.clock.advance(6 * hourMs - 1);
  expect(sentOff(world)).toBe(3);
  expect(world.condition('owners', 'Stalled')).toBe('True/Flapping');
  await world.clock.advance(6 * hourMs);
  expect(sentOff(world)).toBe(6);
});

test('damping holds while another alert of the policy is being verified, and no edit and no reconcile request lifts it', async () => {
  const world = worldOf({ alerts: [inactive({ maxIncidents: 5 }), { name: 'Stale', state: 'Active' }] });
  world.live.set(scope, [firing(['a']), alert({ name: 'Stale', isActive: false })]);
  world.onRequest = ({ kind, alert: name }) => {
    if (kind === 'patch') world.doesStick = name !== 'Stale';
  };
  world.controller.start();
  await fight(world, 100, 1000);
  expect(sentOff(world)).toBe(3);

  const edited = world.policies.get('team/owners');
  if (!edited) throw new Error('there is a policy');
  const annotations = { [requestedAtAnnotation]: 'now' };
  world.apply({ ...edited, metadata: { ...edited.metadata, annotations } });
  await fight(world, 10, 1000);
  expect(sentOff(world)).toBe(3);
  world.apply({ ...edited, metadata: { ...edited.metadata, annotations, generation: 2 } });
  await fight(world, 10, 1000);
  expect(sentOff(world)).toBe(3);
});

test('damping holds while no status can be written, and when another writer removes the status', async () => {
  const world = worldOf(dismissing);
  world.live.set(scope, [firing(['a'])]);
  world.onStatusWrite = (kind) => {
    if (kind === 'policy') throw new KubeError('kube-unreachable', 'no answer');
  };
  world.controller.start();
  await fight(world, 60);
  expect(sentOff(world)).toBe(3);
  world.onStatusWrite = () => undefined;
  await fight(world, 5);
  const written = world.policies.get('team/owners');
  if (!written) throw new Error('there is a policy');
  world.apply({ ...written, status: { observedGeneration: -1 } });
  await fight(world, 60);
  expect(sentOff(world)).toBe(3);
});

test('damping counts deactivations that the service refuses', async () => {
  const world = worldOf(dismissing);
  world.live.set(scope, [firing(['a'])]);
  world.onRequest = ({ kind }) => {
    if (kind === 'patch') throw new AlertsError('alert-refused', 'not allowed');
  };
  world.controller.start();
  await world.clock.advance(6 * hourMs - minuteMs);
  expect(sentOff(world)).toBe(3);
});

test('at most three deactivations of one alert within any six hours', async () => {
  const world = worldOf(dismissing);
  world.live.set(scope, [firing(['a'])]);
  world.controller.start();
  await world.clock.advance(5 * hourMs + 50 * minuteMs);
  await fight(world, 40);
  const sent = world.requests.filter(({ kind, isActive }) => kind === 'patch' && isActive === false);
  const within = (fromMs: number) => sent.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 6 * hourMs).length;
  expect(Math.max(...sent.map(({ atMs }) => within(atMs)))).toBe(3);
});

test('a policy that is deleted and created again begins no new window', async () => {
  const world = worldOf(dismissing);
  world.live.set(scope, [firing(['a'])]);
  world.controller.start();
  await fight(world, 10);
  world.remove(policy({ spec: dismissing }));
  for (let round = 0; round < 5; round++) {
    world.apply(policy({ name: `again-${round}`, spec: dismissing }));
    await fight(world, 5);
    world.remove(policy({ name: `again-${round}`, spec: dismissing }));
  }
  expect(sentOff(world)).toBe(3);
});

test('the window counts from the send, however long a deactivation waited for it', async () => {
  const world = worldOf({ ...dismissing, damping: { maxDeactivations: 1, window: '10m' } });
  world.live.set(scope, [firing(['a'])]);
  // The first one waits for a slow list; later ones do not.
  world.duringList = () => sleep(world.clock, sentOff(world) === 0 ? 30_000 : 0);
  world.controller.start();
  await fight(world, 30);
  const sent = world.requests.filter(({ kind, isActive }) => kind === 'patch' && isActive === false);
  const pauses = sent.slice(1).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0));
  expect(pauses.length).toBeGreaterThanOrEqual(2);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(10 * minuteMs);
});
