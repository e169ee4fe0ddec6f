// A connection that is deleted while the operator runs: everything that was deactivated through it is activated again, however
// many, however long the service fails, and without a cost for others.
import { describe, expect, test } from 'vitest';

import { sleep } from '../../../src/lib/clock.ts';
import type { RoleAlertConnection } from '../../../src/policy/resources.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';
import { alertName, connection, firing, inactive, policy } from '../../support/builders/objects.ts';
import { FakeWorld, type SentRequest } from '../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const since = '2025-12-31T00:00:00Z';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const notYet = 'alerts not re-activated yet, their connection was deleted';
const never = 'alerts not re-activated, their connection was deleted';

type Options = ConstructorParameters<typeof FakeWorld>[0];

/** A connection with that many dismissals in force at each scope, which no policy declares any more: it is deleted at the start. */
function deleted(counts: Readonly<Record<string, number>>, options: Options = {}): FakeWorld {
  const world = new FakeWorld(options);
  const dismissals = Object.entries(counts).flatMap(([at, count]) => {
    const names = Array.from({ length: count }, (_, index) => `Alert${index}`);
    world.live.set(
      at,
      names.map((name) => firing(['a'], { name, isActive: false })),
    );
    return names.map((alert) => ({ scope: at, alert, policy: 'team/gone', since }));
  });
  world.mayWrite = false;
  world.apply({ ...connection(), status: { observedGeneration: 1, dismissals } });
  world.controller.start();
  world.remove(connection());
  world.mayWrite = true;
  return world;
}

const off = (world: FakeWorld, at?: string) =>
  [...world.live]
    .filter(([key]) => at === undefined || key === at)
    .flatMap(([, alerts]) => alerts.filter((each) => !each.isActive)).length;
const fail =
  (code: ErrorCode, facts: { retryAfterMs?: number } = {}) =>
  () => {
    throw errorOf(code, 'as the test wants it', facts);
  };
const activations = (world: FakeWorld) => world.requests.filter(({ kind, isActive }) => kind === 'patch' && isActive);

describe('everything is activated', () => {
  test.each([1, 8, 40, 500])(
    '%i alerts of one scope, within the rate limit, with one list for every eight',
    async (count) => {
      const world = deleted({ [scope]: count }, { rateLimits: { requestsPerHour: 3600, burst: 20 } });
      await world.clock.advance(hourMs);
      expect([off(world), activations(world).length]).toEqual([0, count]);
      expect(world.count('list')).toBeLessThanOrEqual(count / 8 + 8);
      const sent = world.requests.length;
      await world.clock.advance(30 * dayMs);
      expect([world.requests.length, world.clock.pendingTimers]).toEqual([sent, 0]);
      expect(world.errors).toEqual([]);
    },
  );

  test('alerts of a hundred scopes, with at most four lists a scope', async () => {
    const scopes = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`subscriptions/${index}`, 2]));
    const world = deleted(scopes);
    await world.clock.advance(hourMs);
    expect([off(world), activations(world).length]).toEqual([0, 200]);
    expect(world.count('list')).toBeLessThanOrEqual(400);
  });

  test('the alert whose PATCH is in progress when the connection is deleted', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } }));
    world.duringPatch = ({ isActive }) => (isActive === false ? sleep(world.clock, 2000) : Promise.resolve());
    world.controller.start();
    await world.clock.advance(1000);
    world.remove(connection());
    await world.clock.advance(10_000);
    expect([world.count('patch'), off(world)]).toEqual([2, 0]);
  });

  test('an alert whose deactivation had no response and shows its effect only after the deletion', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } }));
    world.onRequest = ({ kind, isActive }) => {
      if (kind === 'patch' && isActive === false) fail('service-unreachable')();
    };
    world.controller.start();
    await world.clock.advance(0);
    world.remove(connection());
    await world.clock.advance(minuteMs);
    world.turn(scope, alertName, false);
    await world.clock.advance(5 * minuteMs);
    expect(off(world)).toBe(0);
  });

  test('an alert whose first PATCH did not take', async () => {
    const world = deleted({ [scope]: 1 });
    world.doesStick = false;
    await world.clock.advance(hourMs);
    world.doesStick = true;
    await world.clock.advance(hourMs);
    expect(off(world)).toBe(0);
  });

  test('the others, when the service refuses one of them', async () => {
    const world = deleted({ [scope]: 20 });
    world.onRequest = ({ kind, alert }) => {
      if (kind === 'patch' && alert === 'Alert0') fail('alert-refused')();
    };
    await world.clock.advance(dayMs);
    expect(off(world)).toBe(1);
    const refused = world.requests.filter(({ kind, alert }) => kind === 'patch' && alert === 'Alert0').length;
    expect(refused).toBeGreaterThan(24);
    expect(refused).toBeLessThanOrEqual(73);
  });
});

describe('a service that fails', () => {
  test('is asked again with a back-off up to five minutes, by one scope for all, until everything is active', async () => {
    const world = deleted({ 'subscriptions/a': 3, 'subscriptions/b': 3, 'subscriptions/c': 3 });
    world.onRequest = fail('service-unreachable');
    await world.clock.advance(dayMs);
    const lists = world.count('list');
    await world.clock.advance(dayMs);
    // Every five minutes, by as many as have a worker.
    expect(world.count('list') - lists).toBeLessThanOrEqual(3 * 12 * 24 * 1.3);
    expect(world.errors).toEqual([notYet, notYet, notYet]);
    world.onRequest = () => undefined;
    await world.clock.advance(10 * minuteMs);
    expect(off(world)).toBe(0);
  });

  test('that asks to wait is left alone for as long', async () => {
    const world = deleted({ [scope]: 10 });
    world.onRequest = fail('service-busy', { retryAfterMs: 20 * minuteMs });
    await world.clock.advance(0);
    expect(world.requests).toHaveLength(1);
    world.onRequest = () => undefined;
    await world.clock.advance(20 * minuteMs - 1);
    expect(world.requests).toHaveLength(1);
    await world.clock.advance(minuteMs);
    expect(off(world)).toBe(0);
  });

  test('at one scope keeps no other scope waiting', async () => {
    const world = deleted(
      { 'subscriptions/bad': 2, 'subscriptions/good': 40 },
      { rateLimits: { requestsPerHour: 3600, burst: 20 } },
    );
    world.onRequest = ({ scope: asked }) => {
      if (asked === 'subscriptions/bad') fail('service-unreachable')();
    };
    await world.clock.advance(5 * minuteMs);
    expect([off(world, 'subscriptions/good'), off(world, 'subscriptions/bad')]).toEqual([0, 2]);
  });

  test.each(['service-denied', 'credential-missing', 'tls-failed'] as const)(
    'with %s for good is asked slowly, and no longer than a week; then the log names what is left',
    async (code) => {
      const world = deleted({ [scope]: 2 });
      world.onRequest = fail(code);
      await world.clock.advance(hourMs);
      expect(world.requests.length).toBeLessThan(30);
      await world.clock.advance(8 * dayMs);
      expect(world.errors).toEqual([notYet, never]);
      expect([off(world), world.clock.pendingTimers]).toEqual([2, 0]);
    },
  );

  test('with 404 for good is asked three times within a day or more, and then left', async () => {
    const world = deleted({ [scope]: 2 });
    world.onRequest = fail('scope-not-found');
    await world.clock.advance(2 * dayMs);
    const { length } = world.requests;
    expect(length).toBeGreaterThanOrEqual(3);
    await world.clock.advance(30 * dayMs);
    expect([world.requests.length, world.clock.pendingTimers]).toEqual([length, 0]);
  });

  test('that does not list an alert any more is asked hourly for a day', async () => {
    const world = deleted({ [scope]: 1 });
    world.live.set(scope, []);
    await world.clock.advance(3 * dayMs);
    expect(world.requests.length).toBeLessThanOrEqual(26);
    expect(world.clock.pendingTimers).toBe(0);
  });
});

describe('nothing is sent', () => {
  test('by a read-only operator', async () => {
    const world = deleted({ [scope]: 2 }, { isReadOnly: true });
    await world.clock.advance(dayMs);
    expect([world.requests, off(world)]).toEqual([[], 2]);
  });

  test('while this process may not write, and everything once it may', async () => {
    const world = deleted({ [scope]: 2 });
    world.mayWrite = false;
    await world.clock.advance(hourMs);
    expect(world.count('patch')).toBe(0);
    world.mayWrite = true;
    await world.clock.advance(10 * minuteMs);
    expect(off(world)).toBe(0);
  });

  test('after a stop, which waits for no back-off and names what is left', async () => {
    const world = deleted({ 'subscriptions/a': 2, 'subscriptions/b': 2 });
    world.onRequest = fail('service-unreachable');
    await world.clock.advance(hourMs);
    let isStopped = false;
    void world.controller.stop().then(() => (isStopped = true));
    await world.clock.advance(0);
    expect(isStopped).toBe(true);
    const sent = world.requests.length;
    await world.clock.advance(dayMs);
    expect([world.requests.length, world.clock.pendingTimers]).toEqual([sent, 0]);
    expect(world.errors.filter((error) => error === never)).toHaveLength(2);
  });

  test('after the grace of a stop, although a request of one reactivation hangs and another has ended', async () => {
    const world = deleted({ 'subscriptions/a': 1, 'subscriptions/b': 30 });
    world.duringPatch = (request: SentRequest, signal) =>
      request.scope === 'subscriptions/b' ? sleep(world.clock, 15_000, signal) : Promise.resolve();
    const stopped = world.controller.stop(20_000);
    await world.clock.advance(19_000);
    const sent = world.requests.length;
    expect(activations(world).length).toBeGreaterThanOrEqual(3);
    await world.clock.advance(2000);
    await stopped;
    await world.clock.advance(dayMs);
    expect(world.requests.length - sent).toBeLessThanOrEqual(1);
    expect(world.clock.pendingTimers).toBe(0);
  });
});

describe('the release beside other connections', () => {
  const quiet = inactive({ incidents: ['a'] });
  const prod = connection();
  const other: RoleAlertConnection = { ...prod, metadata: { ...prod.metadata, name: 'other', uid: 'uid-other' } };
  const owners = policy({ spec: { alerts: [quiet] } });
  const theirs = policy({
    name: 'theirs',
    spec: { connectionRef: { kind: 'RoleAlertConnection', name: 'other' }, alerts: [quiet] },
  });
  const recorded = (world: FakeWorld, name: string) => world.connections.get(`team/${name}`)?.status?.dismissals ?? [];

  test('activates an alert that another one dismisses too, which then deactivates it on its own account', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [firing(['a'])]);
    world.apply(prod);
    world.apply(owners);
    world.controller.start();
    await world.clock.advance(hourMs);
    world.apply(other);
    world.apply(theirs);
    await world.clock.advance(hourMs);
    expect([off(world), recorded(world, 'prod').length, recorded(world, 'other').length]).toEqual([1, 1, 0]);
    world.remove(prod);
    await world.clock.advance(hourMs);
    expect([off(world), activations(world).length]).toEqual([1, 1]);
    expect(recorded(world, 'other')).toMatchObject([{ scope, alert: alertName, policy: 'team/theirs' }]);
    world.remove(theirs);
    await world.clock.advance(0);
    expect(off(world)).toBe(0);
  });

  test('keeps nothing inactive for a connection that was re-created under the old name for another service', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [firing(['a'])]);
    world.apply(prod);
    world.apply(owners);
    world.controller.start();
    await world.clock.advance(10 * minuteMs);
    world.apply({
      ...owners,
      metadata: { ...owners.metadata, generation: 2 },
      spec: { ...owners.spec, mode: 'Observe' },
    });
    await world.clock.advance(minuteMs);
    world.remove(prod);
    const endpoint = { ...prod.spec.endpoint, baseURL: 'https://elsewhere.example' };
    world.apply({ ...prod, metadata: { ...prod.metadata, uid: 'uid-again' }, spec: { ...prod.spec, endpoint } });
    await world.clock.advance(minuteMs);
    expect([off(world), recorded(world, 'prod')]).toEqual([0, []]);
  });

  test('one that is made under the same name during the reactivation starts afresh, and is deleted in its turn', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [firing(['a'])]);
    world.apply(prod);
    world.apply(owners);
    world.controller.start();
    await world.clock.advance(minuteMs);
    world.onRequest = fail('service-unreachable');
    world.remove(prod);
    await world.clock.advance(hourMs);
    expect(world.condition('owners', 'Stalled')).toBe('True/ConnectionNotFound');
    const again = { ...prod, metadata: { ...prod.metadata, uid: 'uid-again' } };
    world.apply(again);
    world.onRequest = () => undefined;
    await world.clock.advance(hourMs);
    expect([off(world), recorded(world, 'prod').length]).toEqual([1, 1]);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
    world.remove(again);
    await world.clock.advance(hourMs);
    expect(off(world)).toBe(0);
    await world.clock.advance(dayMs);
    expect(world.clock.pendingTimers).toBe(0);
  });
});
