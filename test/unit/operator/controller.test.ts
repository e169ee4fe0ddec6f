// The controller in time: what it does after a bug, while it may not write, and while it stops.
import { expect, it, test } from 'vitest';

import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import { KubeError } from '../../../src/operator/kube/kube-error.ts';
import { alert, alertName, connection, firing, inactive, policy } from '../../support/builders/objects.ts';
import { ControllerWorld } from '../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const minuteMs = 60_000;

it('a bug in one reconcile is logged and shown, and the other reconciles continue', async () => {
  const world = new ControllerWorld();
  world.live.set(scope, [alert()]).set('subscriptions/b', [alert()]);
  world.onRequest = ({ scope: asked }) => {
    if (asked === scope) throw new TypeError('a bug');
  };
  world.apply(connection(), policy(), policy({ name: 'other', spec: { scope: 'subscriptions/b' } }));
  await world.start(minuteMs);
  expect([world.condition('owners', 'Ready'), world.condition('other', 'Ready')]).toEqual([
    'Unknown/InternalError',
    'True/Succeeded',
  ]);
  expect(new Set(world.errors)).toEqual(new Set(['reconcile failed unexpectedly']));
});

test('a policy that moves to another scope during the stop ends the corrections of its old one', async () => {
  const world = new ControllerWorld();
  world.live.set(scope, [alert({ isActive: false })]);
  const answered = Promise.withResolvers<undefined>();
  world.duringList = () => answered.promise;
  world.apply(connection(), policy());
  await world.start();
  const stopped = world.controller.stop(20_000);
  world.apply(policy({ spec: { scope: 'subscriptions/b' }, metadata: { generation: 2 } }));
  answered.resolve(undefined);
  await world.clock.advance(20_000);
  await stopped;
  expect(world.requests.map(({ kind, scope: at }) => `${kind} ${at}`)).toEqual([`list ${scope}`]);
});

function drifted(): ControllerWorld {
  const world = new ControllerWorld();
  world.live.set(scope, [alert({ isActive: false })]);
  world.apply(connection(), policy());
  return world;
}

test('nothing is sent while it may not write, and the correction follows within seconds once it may', async () => {
  const world = drifted();
  world.mayWrite = false;
  await world.start(20_000);
  expect([world.count('patch'), world.results.at(-1), world.errors]).toEqual([0, 'error', []]);
  expect(world.warnings[0]).toMatch(/^reconcile not completed .*"not-leading"/);
  world.mayWrite = true;
  await world.clock.advance(minuteMs);
  expect(world.count('patch')).toBe(1);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
});

test('a verifying list that fails is logged with its code, and the reconcile counts as unverified', async () => {
  const world = drifted();
  world.onRequest = ({ kind }) => {
    if (kind === 'list' && world.count('patch') === 1) throw new AlertsError('service-unreachable', 'away');
  };
  await world.start();
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

test('a deactivation that the API server does not take is logged, and what was sent before it is corrected', async () => {
  const world = drifted();
  world.live.set(scope, [firing(['a']), alert({ name: 'Zulu', isActive: false })]);
  world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 5 }), { name: 'Zulu', state: 'Active' }] } }));
  world.onStatusWrite = (kind) => {
    if (kind === 'connection' && world.count('patch') === 1) throw new KubeError('kube-unreachable', 'away');
  };
  await world.start();
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
