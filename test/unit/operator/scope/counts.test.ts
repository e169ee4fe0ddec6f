// What the metrics count of a reconcile: each PATCH by direction and result, each correction by its cause, each status that was written.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { alert, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';

async function worldAfter(prepare: (world: FakeWorld) => void): Promise<FakeWorld> {
  const world = new FakeWorld({ intervalMs: 15 * minuteMs });
  world.live.set(scope, [alert({ isActive: false })]);
  prepare(world);
  world.apply(connection());
  if (world.policies.objects.size === 0) world.apply(policy());
  world.controller.start();
  await world.clock.advance(1000);
  return world;
}
const countsOf = ({ counted }: FakeWorld) => counted.filter((each) => each.startsWith('team/'));

test('an activation that was sent and seen', async () => {
  const world = await worldAfter(() => undefined);
  expect(countsOf(world)).toEqual(['team/prod activate sent', 'team/prod Declared']);
  expect(world.counted.filter((each) => !each.startsWith('team/')).toSorted()).toEqual([
    'connection',
    'connection',
    'policy',
  ]);
});

test('a deactivation that was sent and seen', async () => {
  const world = await worldAfter((each) => {
    each.live.set(scope, [firing(['6f1c'])]);
    each.apply(policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } }));
  });
  expect(countsOf(world)).toEqual(['team/prod deactivate sent', 'team/prod DismissalHolds']);
});

test('a PATCH that was refused, and no correction', async () => {
  const world = await worldAfter((each) => {
    each.onRequest = ({ kind }) => {
      if (kind === 'patch') throw new AlertsError('alert-refused', 'no', { serviceCode: 'Nope' });
    };
  });
  expect(countsOf(world)).toEqual(['team/prod activate failed']);
  expect(world.condition('owners', 'Ready')).toBe('False/CorrectionFailed');
});

test('a PATCH that has no effect is sent, and no correction', async () => {
  const world = await worldAfter((each) => (each.doesStick = false));
  expect(countsOf(world)).toEqual(['team/prod activate sent']);
});

test('nothing in steady state, however long', async () => {
  const world = await worldAfter(() => undefined);
  const before = [...world.counted];
  await world.clock.advance(24 * 60 * minuteMs);
  expect(world.counted).toEqual(before);
});
