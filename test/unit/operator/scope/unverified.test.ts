// The reports after a PATCH that no list has verified.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { alert, alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';

function drifted(): FakeWorld {
  const world = new FakeWorld();
  world.live.set(scope, [alert({ isActive: false })]);
  world.apply(connection());
  world.apply(policy());
  return world;
}

test('a verifying list that fails is logged with its code, and the reconcile counts as unverified', async () => {
  const world = drifted();
  world.onRequest = ({ kind }) => {
    if (kind === 'list' && world.count('patch') === 1) throw new AlertsError('service-unreachable', 'away');
  };
  world.controller.start();
  await world.clock.advance(0);
  expect(world.count('patch')).toBe(1);
  expect(world.results).toEqual(['unverified']);
  expect(world.warnings.map((line) => line.split(' {')[0])).toEqual([
    'event emitted',
    'sent, not verified',
    'condition changed',
  ]);
  for (const fact of ['"team"', '"prod"', `"${scope}"`, '"service-unreachable"'])
    expect(world.warnings[1]).toContain(fact);
});

test('one that shows the flag counts as corrected, and nothing is logged', async () => {
  const world = drifted();
  world.controller.start();
  await world.clock.advance(0);
  expect(world.results).toEqual(['corrected']);
  expect(world.warnings).toEqual([]);
});

test('a sending that the service ends is verified by the next list only', async () => {
  const world = drifted();
  world.live.set(scope, [alert({ isActive: false }), alert({ name: 'Zulu', isActive: false })]);
  world.apply(policy({ spec: { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } }));
  world.onRequest = () => {
    if (world.count('patch') === 2) throw new AlertsError('service-busy', 'later', { retryAfterMs: 1000 });
  };
  world.controller.start();
  await world.clock.advance(0);
  expect(world.results).toEqual(['unverified']);
  expect(world.warnings[0]).toContain('"service-busy"');
});

test('a deactivation that the API server does not take is logged, and what was sent before it is corrected', async () => {
  const world = drifted();
  world.live.set(scope, [firing(['a']), alert({ name: 'Zulu', isActive: false })]);
  world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 5 }), { name: 'Zulu', state: 'Active' }] } }));
  world.onStatusWrite = (kind) => {
    if (kind === 'connection' && world.count('patch') === 1) throw new KubeError('kube-unreachable', 'away');
  };
  world.controller.start();
  await world.clock.advance(0);
  expect(world.requests.map(({ kind, alert: name = '' }) => `${kind} ${name}`)).toEqual([
    'list ',
    'patch Zulu',
    'list ',
    'list ',
  ]);
  expect(world.results).toEqual(['corrected', 'error']);
  expect(world.warnings).toContainEqual(expect.stringMatching(/^reconcile not completed .*"kube-unreachable"/));
  expect(world.live.get(scope)?.find(({ name }) => name === alertName)?.isActive).toBe(true);
});
