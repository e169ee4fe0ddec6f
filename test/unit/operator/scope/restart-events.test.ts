// The events of what an operator did before its end and no status shows.
import { expect, test } from 'vitest';

import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { alertName, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';

test('a deactivation that ended with the operator is announced by the next one, for the policy that the ledger names', async () => {
  const before = new FakeWorld();
  before.live.set(scope, [firing(['a'])]);
  before.apply(connection());
  before.apply(policy({ name: 'first' }));
  before.apply(policy({ name: 'second' }));
  before.controller.start();
  await before.clock.advance(minuteMs);
  before.onStatusWrite = (kind) => {
    if (kind === 'policy') throw new KubeError('kube-unreachable', 'away');
  };
  for (const name of ['first', 'second']) {
    const stored = before.policies.get(`team/${name}`) ?? policy();
    const spec = { ...stored.spec, alerts: [inactive({ incidents: ['a'] })] };
    before.apply({ ...stored, spec, metadata: { ...stored.metadata, generation: 2 } });
  }
  await before.clock.advance(minuteMs);
  expect([before.count('patch'), before.events]).toEqual([1, []]);
  const next = new FakeWorld();
  next.live.set(scope, [...(before.live.get(scope) ?? [])]);
  for (const object of [...before.connections.list(), ...before.policies.list()]) next.apply(object);
  next.controller.start();
  await next.clock.advance(60 * minuteMs);
  expect([next.count('patch'), next.events]).toEqual([0, ['AlertDeactivated first']]);
});

test('what another client deactivates after the operator was held is not announced as a deactivation of the operator', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  const alerts = [inactive({ incidents: ['a'] })];
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts, damping: { maxDeactivations: 1, window: '6h' } } }));
  world.controller.start();
  await world.clock.advance(5 * minuteMs);
  world.turn(scope, alertName, true);
  await world.clock.advance(1.5 * minuteMs);
  expect(world.condition('owners', 'Ready')).toBe('False/Flapping');
  world.turn(scope, alertName, false);
  await world.clock.advance(1.5 * minuteMs);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  expect([world.count('patch'), world.events]).toEqual([1, ['AlertDeactivated owners', 'Flapping owners']]);
});
