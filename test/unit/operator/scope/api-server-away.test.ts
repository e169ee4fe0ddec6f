// While the API server is away or refuses statuses: the service is still reconciled and corrected, but not the more often for it.
import { expect, it, test } from 'vitest';

import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { alert, alertName, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';

test('in an hour without it a drifted scope is reconciled about twice a minute, and recorded half a minute after it is back', async () => {
  const world = new ControllerWorld();
  world.live.set(scope, [alert({ isActive: false })]);
  world.apply(connection(), policy());
  world.onStatusWrite = () => {
    throw new KubeError('kube-unreachable', 'away');
  };
  await world.start(60 * minuteMs);
  expect(world.count('list')).toBeGreaterThan(110);
  expect(world.count('list')).toBeLessThan(190);
  world.turn(scope, alertName, false);
  await world.clock.advance(2 * minuteMs);
  expect(world.count('patch')).toBe(2);
  world.onStatusWrite = () => undefined;
  await world.clock.advance(minuteMs / 2);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  expect(world.policies.get('team/owners')?.status?.history).toMatchObject([{ alert: alertName, count: 2 }]);
  const lists = world.count('list');
  await world.clock.advance(15 * minuteMs);
  expect(world.count('list')).toBe(lists + 1);
});

test('a correction is recorded with the time of the list that showed it, not of the write', async () => {
  const world = new ControllerWorld();
  world.live.set(scope, [alert({ isActive: false, lastActor: 'User' })]);
  world.apply(connection(), policy());
  world.onStatusWrite = () => {
    throw new KubeError('kube-unreachable', 'away');
  };
  await world.start(minuteMs);
  world.turn(scope, alertName, false);
  world.apply({ ...policy({ spec: { mode: 'Observe' } }), metadata: { ...policy().metadata, generation: 2 } });
  await world.clock.advance(60 * minuteMs);
  world.onStatusWrite = () => undefined;
  await world.clock.advance(minuteMs);
  const { alerts, history } = world.policies.get('team/owners')?.status ?? {};
  const at = '2026-01-01T00:00:00Z';
  expect(alerts).toMatchObject([{ live: 'Inactive', verifiedAt: at, lastDrift: { at, actorClass: 'User' } }]);
  expect(history).toMatchObject([{ at, direction: 'Activated' }]);
});

test('a connection status that cannot be written is retried by one, however many ask for it', async () => {
  const world = new ControllerWorld();
  let tries = 0;
  world.onStatusWrite = (kind) => {
    if (kind !== 'connection') return;
    tries++;
    throw new KubeError('kube-denied', 'forbidden');
  };
  world.live.set(scope, [alert()]);
  world.apply(connection());
  world.controller.start();
  for (let generation = 1; generation <= 100; generation++) {
    world.apply(policy({ metadata: { generation } }));
    await world.clock.advance(1000);
  }
  const before = tries;
  await world.clock.advance(60 * minuteMs);
  expect(tries - before).toBeGreaterThanOrEqual(60);
  expect(tries - before).toBeLessThanOrEqual(180);
  world.onStatusWrite = () => undefined;
  await world.clock.advance(minuteMs);
  expect(world.connectionReady()).toBe('True/Connected');
});

it.each([
  ['kube-denied', 200, 'the permission is missing. Check the role of the operator.'],
  ['kube-invalid', 22, "it does not fit the schema or is too large. Apply the CRDs of the operator's version."],
] as const)(
  'a status refused with %s is an event of its policy once, until it is written',
  async (code, most, cause) => {
    const world = new ControllerWorld();
    const refuse = (kind: string) => {
      if (kind === 'policy') throw new KubeError(code, 'refused');
    };
    world.onStatusWrite = refuse;
    world.live.set(scope, [alert()]);
    world.apply(connection(), policy());
    await world.start(60 * minuteMs);
    const note = `The status is out of date, because the API server refuses to store it: ${cause}`;
    const regarding = { kind: 'RoleAlertPolicy', namespace: 'team', name: 'owners' };
    expect(world.recordedEvents).toMatchObject([{ regarding, type: 'Warning', reason: 'StatusNotWritten', note }]);
    expect(world.warnings.filter((line) => line.startsWith('reconcile not completed')).length).toBeLessThan(10);
    expect(world.count('list')).toBeLessThan(most);
    world.onStatusWrite = () => undefined;
    await world.clock.advance(6 * minuteMs);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
    world.onStatusWrite = refuse;
    world.live.set(scope, [alert({ isActive: false })]);
    await world.clock.advance(60 * minuteMs);
    expect(world.events.filter((event) => event.startsWith('StatusNotWritten'))).toHaveLength(2);
  },
);

test('a status refused after another failure is an event of each policy whose status is refused', async () => {
  const world = new ControllerWorld();
  let [tries, refusedFromMs] = [0, 0];
  world.onStatusWrite = (kind) => {
    if (kind === 'policy' && tries++ === 0) throw new KubeError('kube-unreachable', 'away');
    if (kind === 'policy' && world.clock.monotonic() >= refusedFromMs) throw new KubeError('kube-denied', 'refused');
  };
  world.live.set(scope, [alert()]);
  world.apply(connection(), policy());
  await world.start(10 * minuteMs);
  expect(world.events).toEqual(['StatusNotWritten owners']);
  world.apply(policy({ name: 'later' }));
  await world.clock.advance(10 * minuteMs);
  expect(world.events).toEqual(['StatusNotWritten owners', 'StatusNotWritten later']);
  refusedFromMs = Infinity;
  await world.clock.advance(10 * minuteMs);
  refusedFromMs = 0;
  world.live.set(scope, [alert({ isActive: false })]);
  await world.clock.advance(30 * minuteMs);
  expect(world.events.filter((event) => event === 'StatusNotWritten later')).toHaveLength(2);
});

test('a status that is not found because its connection was deleted is not retried', async () => {
  const world = new ControllerWorld();
  world.live.set('subscriptions/a', [alert()]);
  world.apply(connection());
  world.controller.start();
  let tries = 0;
  world.onStatusWrite = (kind) => {
    if (kind !== 'connection') return;
    tries++;
    throw new KubeError('kube-not-found', 'gone');
  };
  world.apply(policy());
  await world.clock.advance(0);
  world.remove(connection());
  const before = tries;
  await world.clock.advance(60 * minuteMs);
  expect([before, tries]).toEqual([before, before]);
});
