// Damping as a count of what is sent: at most so many deactivations of one alert of one policy within the window, whatever happens to
// the alert, to its list and to the status meanwhile.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import { KubeError } from '../../../src/kube/kube-error.ts';
import { requestedAtAnnotation, type RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { errorOf } from '../../support/builders/errors.ts';
import { alert, alertName, connection, firing, inactive, policy } from '../../support/builders/objects.ts';
import { FakeWorld } from '../../support/rigs/fake-world.ts';

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

test('damping holds while another alert of the policy is being verified', async () => {
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
  expect(sentOff(world)).toBe(4);
  world.apply({ ...edited, metadata: { ...edited.metadata, annotations, generation: 2 } });
  await fight(world, 10, 1000);
  expect(sentOff(world)).toBe(5);
});

test('damping holds while no status can be written, and when another writer removes the status', async () => {
  const world = worldOf(dismissing);
  world.live.set(scope, [firing(['a'])]);
  let writes = 0;
  world.onStatusWrite = (kind) => {
    // The first one marks the deactivation, which is not sent without it.
    if (kind === 'policy' && writes++ > 0) throw new KubeError('kube-unreachable', 'no answer');
  };
  world.controller.start();
  await fight(world, 60);
  expect(sentOff(world)).toBe(3);
  world.onStatusWrite = () => undefined;
  await fight(world, 5);
  const written = world.policies.get('team/owners');
  if (!written) throw new Error('there is a policy');
  expect(written.status?.alerts).toMatchObject([{ deactivations: { count: 3 } }]);
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

test.each(['service-unreachable', 'service-busy', 'service-denied', 'service-protocol'] as const)(
  'a reconcile request that meets %s lets one through when the service answers again',
  async (code) => {
    const world = worldOf(dismissing);
    world.live.set(scope, [firing(['a'])]);
    world.controller.start();
    await fight(world, 10);
    expect(sentOff(world)).toBe(3);

    world.onRequest = () => {
      throw errorOf(code, 'as the test wants it', { retryAfterMs: 2 * minuteMs });
    };
    await world.clock.advance(70_000);
    const held = world.policies.get('team/owners');
    if (!held) throw new Error('there is a policy');
    world.apply({ ...held, metadata: { ...held.metadata, annotations: { [requestedAtAnnotation]: 'now' } } });
    await world.clock.advance(20_000);
    expect(world.policies.get('team/owners')?.status?.lastHandledReconcileAt).toBeUndefined();

    world.onRequest = () => undefined;
    await fight(world, 30);
    expect(sentOff(world)).toBe(4);
    expect(world.policies.get('team/owners')?.status?.lastHandledReconcileAt).toBe('now');
  },
);
