// The operator in time, over fakes: what it does after a minute, an hour, a failure, a restart.
import { describe, expect, it } from 'vitest';

import { pendingStatus } from '../../../src/policy/resources.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';
import { alert, alertName, connection, inactive, policy } from '../../support/builders/objects.ts';
import { FakeWorld } from '../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const minuteMs = 60_000;
const intervalMs = 15 * minuteMs;
const fail =
  (code: ErrorCode, facts = {}) =>
  () => {
    throw errorOf(code, 'as the test wants it', facts);
  };

async function started(change: { isActive?: boolean; policies?: readonly ReturnType<typeof policy>[] } = {}) {
  const world = new FakeWorld();
  world.live.set(scope, [alert({ isActive: change.isActive ?? false })]);
  world.apply(connection());
  for (const each of change.policies ?? [policy()]) world.apply(each);
  world.controller.start();
  await world.clock.advance(0);
  return world;
}

describe('while nothing happens', () => {
  it('lists once an interval, and writes nothing', async () => {
    const world = await started();
    expect([world.count('list'), world.count('patch'), world.policies.writes]).toEqual([2, 1, 1]);
    const connectionWrites = world.connections.writes;
    await world.clock.advance(4 * intervalMs);
    expect([world.count('list'), world.count('patch'), world.policies.writes]).toEqual([6, 1, 1]);
    expect(world.connections.writes).toBe(connectionWrites);
    expect(world.events).toEqual(['DriftCorrected owners']);
  });

  it('a scope shared by many policies is reconciled once for all of them', async () => {
    const policies = Array.from({ length: 20 }, (_, index) => policy({ name: `p${index}` }));
    const world = await started({ policies });
    expect([world.count('list'), world.count('patch'), world.policies.writes]).toEqual([2, 1, 20]);
  });
});

describe('a write that is not seen', () => {
  it('is checked after 1, 2, 4 … s, is not repeated for two minutes, then counts as not verified, and is repeated after an interval', async () => {
    const world = new FakeWorld();
    world.doesStick = false;
    world.live.set(scope, [alert({ isActive: false })]);
    world.apply(connection());
    world.apply(policy());
    world.controller.start();
    await world.clock.advance(0);
    expect(world.condition('owners', 'Ready')).toBe('Unknown/VerifyingWrite');
    expect(world.policies.get('team/owners')?.status?.observedGeneration).toBe(1);
    await world.clock.advance(2 * minuteMs - 1);
    const lists = world.requests.filter(({ kind }) => kind === 'list').map(({ atMs }) => Math.round(atMs / 1000));
    expect(lists).toEqual([0, 0, 1, 3, 7, 15, 31, 63]);
    expect(world.count('patch')).toBe(1);
    await world.clock.advance(1);
    expect(world.condition('owners', 'Ready')).toBe('False/WriteNotVerified');
    expect(world.condition('owners', 'Reconciling')).toBe('True/RetryingWrite');
    await world.clock.advance(intervalMs);
    expect(world.count('patch')).toBe(2);
    expect(world.condition('owners', 'Ready')).toBe('False/WriteNotVerified');
    expect(world.events).toEqual(['WriteNotVerified owners']);
    world.turn(scope, alertName, true);
    await world.clock.advance(minuteMs);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
    expect(world.events.at(-1)).toBe('DriftCorrected owners');
  });
});

describe('a service that fails', () => {
  it.each([
    // Once more, when the circuit opens.
    ['service-unreachable', 'False/ServiceUnreachable', 18, 2],
    ['service-protocol', 'False/ProtocolError', 12, 1],
    ['scope-forbidden', 'False/ScopeForbidden', 4, 1],
    ['scope-not-found', 'False/ScopeNotFound', 1, 1],
  ] as const)(
    '%s: reports %s, and lists at most %i times in the first half hour',
    async (code, ready, most, writes) => {
      const world = new FakeWorld();
      world.onRequest = fail(code);
      world.apply(connection());
      world.apply(policy());
      world.controller.start();
      await world.clock.advance(30 * minuteMs);
      expect(world.condition('owners', 'Ready')).toBe(ready);
      expect(world.count('list')).toBeGreaterThanOrEqual(1);
      expect(world.count('list')).toBeLessThanOrEqual(most + 3);
      expect(world.policies.writes).toBe(writes);
    },
  );

  it('asked to wait, it waits, keeps what it saw, and is stale after three intervals', async () => {
    const world = await started();
    world.onRequest = fail('service-busy', { retryAfterMs: 20 * minuteMs });
    await world.clock.advance(intervalMs);
    expect([world.condition('owners', 'Ready'), world.connectionReady()]).toEqual([
      'True/Succeeded',
      'False/Throttled',
    ]);
    const lists = world.count('list');
    await world.clock.advance(20 * minuteMs - 1);
    expect(world.count('list')).toBe(lists);
    await world.clock.advance(40 * minuteMs);
    expect(world.condition('owners', 'Ready')).toBe('Unknown/Stale');
    world.onRequest = () => undefined;
    await world.clock.advance(21 * minuteMs);
    expect([world.condition('owners', 'Ready'), world.connectionReady()]).toEqual(['True/Succeeded', 'True/Connected']);
  });

  it('a refused credential holds the scopes back; a trial finds the changed credential, and all scopes are reconciled', async () => {
    const policies = Array.from({ length: 50 }, (_, index) =>
      policy({ name: `p${index}`, spec: { scope: `subscriptions/${index}` } }),
    );
    const world = new FakeWorld();
    for (let index = 0; index < 50; index++) world.live.set(`subscriptions/${index}`, [alert()]);
    world.onRequest = fail('service-denied');
    world.apply(connection());
    for (const each of policies) world.apply(each);
    world.controller.start();
    await world.clock.advance(0);
    expect(world.count('list')).toBeLessThanOrEqual(4);
    // One scope after another is tried, in case only some are refused.
    await world.clock.advance(5 * minuteMs);
    expect(world.count('list')).toBeLessThanOrEqual(4 + 10);
    expect([world.condition('p49', 'Ready'), world.connectionReady()]).toEqual([
      'False/ConnectionNotReady',
      'False/Unauthorized',
    ]);
    world.onRequest = () => undefined;
    await world.clock.advance(30_000);
    expect(world.condition('p49', 'Ready')).toBe('True/Succeeded');
    expect(world.connectionReady()).toBe('True/Connected');
  });

  it('one failing scope of many does not make the connection swing', async () => {
    const policies = [
      policy({ name: 'good', spec: { scope: 'subscriptions/good', interval: '1m' } }),
      policy({ name: 'bad', spec: { scope: 'subscriptions/bad' } }),
      policy({ name: 'other', spec: { scope: 'subscriptions/other', interval: '1m' } }),
    ];
    const world = new FakeWorld();
    world.onRequest = ({ scope: asked }) => {
      if (asked === 'subscriptions/bad') fail('service-unreachable')();
    };
    world.live.set('subscriptions/good', [alert()]).set('subscriptions/other', [alert()]);
    world.apply(connection());
    for (const each of policies) world.apply(each);
    world.controller.start();
    await world.clock.advance(10 * minuteMs);
    const writes = world.connections.writes;
    await world.clock.advance(60 * minuteMs);
    expect([world.connections.writes, world.connectionReady()]).toEqual([writes, 'True/Connected']);
    expect(world.condition('bad', 'Ready')).toBe('False/ServiceUnreachable');
  });

  it('a refused PATCH is retried slowly, at once after a reconcile request', async () => {
    const world = new FakeWorld();
    world.onRequest = ({ kind }) => {
      if (kind === 'patch') fail('alert-refused', { serviceCode: 'ReadOnly' })();
    };
    world.live.set(scope, [alert({ isActive: false })]);
    world.apply(connection());
    world.apply(policy());
    world.controller.start();
    await world.clock.advance(59 * minuteMs);
    expect([world.count('patch'), world.condition('owners', 'Ready')]).toEqual([1, 'False/CorrectionFailed']);
    await world.clock.advance(2 * minuteMs);
    expect(world.count('patch')).toBe(2);
    const seen = world.policies.get('team/owners')!;
    world.apply({ ...seen, metadata: { ...seen.metadata, annotations: { 'rolealerts.dev/requestedAt': '1' } } });
    await world.clock.advance(0);
    expect(world.count('patch')).toBe(3);
    expect(world.policies.get('team/owners')?.status?.lastHandledReconcileAt).toBe('1');
  });
});

describe('writing to Kubernetes', () => {
  it('nothing is deactivated while the ledger cannot be written', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [alert()]);
    world.onStatusWrite = (kind) => {
      if (kind === 'connection') fail('kube-unreachable')();
    };
    world.apply(connection());
    world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 1 })] } }));
    world.controller.start();
    await world.clock.advance(10 * minuteMs);
    expect(world.count('patch')).toBe(0);
    world.onStatusWrite = () => undefined;
    await world.clock.advance(10 * minuteMs);
    expect(world.count('patch')).toBe(1);
    expect(world.connections.get('team/prod')?.status?.dismissals).toMatchObject([
      { scope, alert: alertName, policy: 'team/owners' },
    ]);
  });

  it('a correction that could not be recorded is recorded later, with its history and its event', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [alert({ isActive: false })]);
    world.onStatusWrite = fail('kube-unreachable');
    world.apply(connection());
    world.apply(policy());
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect([world.count('patch'), world.events]).toEqual([1, []]);
    world.onStatusWrite = () => undefined;
    await world.clock.advance(10 * minuteMs);
    expect(world.policies.get('team/owners')?.status?.history).toMatchObject([
      { alert: alertName, direction: 'Activated', count: 1 },
    ]);
    expect([world.count('patch'), world.events]).toEqual([1, ['DriftCorrected owners']]);
  });

  it('a conflict is read again and recorded with the generation that was planned', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [alert()]);
    let isFirst = true;
    world.onStatusWrite = (kind) => {
      if (kind !== 'policy' || !isFirst) return;
      isFirst = false;
      // A user edits between the reconcile and the write.
      const seen = world.policies.get('team/owners')!;
      world.policies.put({ ...seen, metadata: { ...seen.metadata, generation: 2 } });
    };
    world.apply(connection());
    world.apply(policy());
    world.controller.start();
    await world.clock.advance(0);
    expect(world.policies.get('team/owners')?.status?.observedGeneration).toBe(1);
  });

  it('an object that was re-created under the same name does not get the outcome of the old one', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [alert()]);
    let isFirst = true;
    world.onStatusWrite = (kind) => {
      if (kind !== 'policy' || !isFirst) return;
      isFirst = false;
      world.policies.put(policy({ metadata: { uid: 'another' } }));
    };
    world.apply(connection());
    world.apply(policy());
    world.controller.start();
    await world.clock.advance(0);
    expect(world.policies.get('team/owners')?.status).toEqual(pendingStatus);
  });
});

it('a bug in one reconcile is logged and shown, and the other reconciles continue', async () => {
  const world = new FakeWorld();
  world.live.set(scope, [alert()]).set('subscriptions/b', [alert()]);
  world.onRequest = ({ scope: asked }) => {
    if (asked === scope) throw new TypeError('a bug');
  };
  world.apply(connection());
  world.apply(policy());
  world.apply(policy({ name: 'other', spec: { scope: 'subscriptions/b' } }));
  world.controller.start();
  await world.clock.advance(minuteMs);
  expect([world.condition('owners', 'Ready'), world.condition('other', 'Ready')]).toEqual([
    'Unknown/InternalError',
    'True/Succeeded',
  ]);
  expect(new Set(world.errors)).toEqual(new Set(['reconcile failed unexpectedly']));
});

it('leaves no timer when it stops', async () => {
  const world = await started();
  await world.controller.stop();
  await world.clock.advance(0);
  const requests = world.requests.length;
  await world.clock.advance(24 * 60 * minuteMs);
  expect([world.requests.length, world.clock.pendingTimers]).toEqual([requests, 0]);
});

it('a bug that also breaks its report ends nothing, and the other reconciles continue', async () => {
  const world = new FakeWorld();
  world.live.set(scope, [alert()]).set('subscriptions/b', [alert()]);
  world.apply(connection());
  world.apply(policy());
  world.apply(policy({ name: 'other', spec: { scope: 'subscriptions/b' } }));
  let isBroken = false;
  const get = world.policies.get.bind(world.policies);
  world.policies.get = (key) => {
    if (isBroken && key === 'team/owners') throw new TypeError('a bug');
    return get(key);
  };
  world.controller.start();
  isBroken = true;
  await world.clock.advance(minuteMs);
  expect(world.condition('other', 'Ready')).toBe('True/Succeeded');
  isBroken = false;
  await world.clock.advance(minuteMs);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
});
