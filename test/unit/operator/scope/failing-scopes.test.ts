// Scopes that fail permanently beside scopes that work, over the fake world: the others are reconciled, whatever the failure is.
import { describe, expect, it } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import { alert, alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld, type SentRequest } from '../../../support/rigs/fake-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const intervalMs = 15 * minuteMs;
const rateLimits = { requestsPerHour: 3600, burst: 20 };

const scopeOf = (name: string) => `subscriptions/${name}`;
const namesOf = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index}`);

function failWith(code: ErrorCode, facts = {}): never {
  throw errorOf(code, 'as the test wants it', facts);
}

/** Every request on a scope whose name begins with `bad` fails. */
function failBad(code: ErrorCode) {
  return ({ scope }: SentRequest) => {
    if (scope.includes('/bad')) failWith(code);
  };
}

function worldWith(names: readonly string[]): FakeWorld {
  const world = new FakeWorld({ intervalMs, rateLimits });
  world.apply(connection());
  for (const name of names) {
    world.live.set(scopeOf(name), [alert()]);
    world.apply(policy({ name, spec: { scope: scopeOf(name) } }));
  }
  return world;
}

function lists(world: FakeWorld, name: string, sinceMs = 0): number {
  return world.requests.filter(({ kind, scope, atMs }) => kind === 'list' && scope === scopeOf(name) && atMs >= sinceMs)
    .length;
}

const connectionEvents = (world: FakeWorld) => world.events.filter((event) => event.endsWith(' prod'));

function edit(world: FakeWorld, name: string, generation: number): void {
  world.apply(policy({ name, spec: { scope: scopeOf(name) }, metadata: { generation } }));
}

describe.each(['service-unreachable', 'service-denied', 'service-protocol', 'scope-forbidden'] as const)(
  'beside one scope that answers %s for good',
  (code) => {
    it.each(['first', 'last'])(
      'drift is corrected and a dismissal ends on time (the failing scope comes %s)',
      async (place) => {
        const world = worldWith(place === 'first' ? ['bad'] : []);
        world.onRequest = failBad(code);
        const until = new Date(world.clock.now() + 60 * minuteMs).toISOString();
        world.live.set(scopeOf('dismissed'), [firing(['a'])]);
        world.apply(
          policy({ name: 'dismissed', spec: { scope: scopeOf('dismissed'), alerts: [inactive({ until })] } }),
        );
        for (const name of ['a', 'b', 'c', ...(place === 'last' ? ['bad'] : [])]) {
          world.live.set(scopeOf(name), [alert()]);
          world.apply(policy({ name, spec: { scope: scopeOf(name) } }));
        }
        world.controller.start();
        await world.clock.advance(5 * minuteMs);
        world.turn(scopeOf('b'), alertName, false);
        await world.clock.advance(intervalMs);
        expect(world.live.get(scopeOf('b'))?.[0]?.isActive).toBe(true);
        await world.clock.advance(60 * minuteMs);
        expect(world.live.get(scopeOf('dismissed'))?.[0]?.isActive).toBe(true);
        expect(world.connectionReady()).toBe('True/Connected');
      },
    );

    it.each([1, 20])('%i others are listed as often as without it', async (count) => {
      const good = namesOf('good', count);
      const world = worldWith(['bad', ...good]);
      world.onRequest = failBad(code);
      world.controller.start();
      await world.clock.advance(20 * minuteMs);
      const sinceMs = world.clock.monotonic();
      const events = connectionEvents(world);
      await world.clock.advance(2 * hourMs);
      for (const name of good) expect(lists(world, name, sinceMs)).toBeGreaterThanOrEqual(7);
      expect(connectionEvents(world)).toEqual(events);
    });
  },
);

describe('several scopes that fail permanently', () => {
  it.each<[number, number, ErrorCode]>([
    [5, 100, 'service-unreachable'],
    [5, 1, 'service-unreachable'],
    [200, 20, 'service-unreachable'],
    [5, 1, 'service-denied'],
    [30, 5, 'service-denied'],
  ])('%i of them keep none of %i others from its interval (%s)', async (bad, count, code) => {
    const good = namesOf('good', count);
    const world = worldWith([...namesOf('bad', bad), ...good]);
    world.onRequest = failBad(code);
    world.controller.start();
    // Until each of them was found out.
    await world.clock.advance(2 * hourMs);
    for (const name of good) expect(lists(world, name)).toBeGreaterThanOrEqual(1);
    const sinceMs = world.clock.monotonic();
    const events = connectionEvents(world);
    await world.clock.advance(2 * hourMs);
    for (const name of good) expect(lists(world, name, sinceMs)).toBeGreaterThanOrEqual(7);
    expect(connectionEvents(world)).toEqual(events);
    expect(world.connectionReady()).toBe('True/Connected');
    // Each failing scope backs off by itself.
    for (const name of namesOf('bad', bad)) expect(lists(world, name, sinceMs)).toBeLessThanOrEqual(2 * 16);
  });

  it('one that fails with another code each time holds nothing up', async () => {
    const codes: ErrorCode[] = ['service-unreachable', 'service-denied', 'scope-not-found', 'service-protocol'];
    let count = 0;
    const good = namesOf('good', 20);
    const world = worldWith(['bad-0', 'bad-1', ...good]);
    world.onRequest = ({ scope }) => {
      if (scope.includes('/bad')) failWith(codes[count++ % codes.length]!);
    };
    world.controller.start();
    await world.clock.advance(hourMs);
    const sinceMs = world.clock.monotonic();
    await world.clock.advance(6 * hourMs);
    for (const name of good) expect(lists(world, name, sinceMs)).toBeGreaterThanOrEqual(23);
  });

  it.each(['service-unreachable', 'service-denied'] as const)(
    'one whose policy is edited every second holds nothing up (%s)',
    async (code) => {
      const good = namesOf('good', 20);
      const world = worldWith(['bad', ...good]);
      world.onRequest = failBad(code);
      world.controller.start();
      for (let second = 0; second < 1860; second++) {
        edit(world, 'bad', 2 + second);
        await world.clock.advance(1000);
      }
      for (const name of good) expect(lists(world, name)).toBeGreaterThanOrEqual(2);
      expect(world.connectionReady()).toBe('True/Connected');
    },
  );
});

describe('a credential that the service refuses', () => {
  const good = namesOf('good', 20);

  async function running(names: readonly string[] = ['bad', ...good]): Promise<FakeWorld> {
    const world = worldWith(names);
    world.onRequest = failBad('service-denied');
    world.controller.start();
    await world.clock.advance(hourMs);
    return world;
  }

  it('on one scope only is shown as forbidden there, and is tried slowly', async () => {
    const world = await running();
    expect([world.condition('bad', 'Ready'), world.condition('bad', 'Stalled'), world.connectionReady()]).toEqual([
      'False/ScopeForbidden',
      'True/ScopeForbidden',
      'True/Connected',
    ]);
    const sinceMs = world.clock.monotonic();
    await world.clock.advance(10 * hourMs);
    expect(lists(world, 'bad', sinceMs)).toBeLessThanOrEqual(11);
    world.onRequest = () => undefined;
    await world.clock.advance(hourMs);
    expect(world.condition('bad', 'Ready')).toBe('True/Succeeded');
  });

  it('on every scope later is still recognized, and few requests find it out', async () => {
    const world = await running();
    const sinceMs = world.clock.monotonic();
    world.onRequest = () => failWith('service-denied');
    await world.clock.advance(intervalMs);
    expect([world.connectionReady(), world.condition('good-3', 'Ready'), world.condition('bad', 'Ready')]).toEqual([
      'False/Unauthorized',
      'False/ConnectionNotReady',
      'False/ConnectionNotReady',
    ]);
    expect(connectionEvents(world).at(-1)).toBe('Unauthorized prod');
    await world.clock.advance(10 * hourMs);
    // The first four at a time, then one scope every 30 s.
    expect(world.count('list', sinceMs)).toBeLessThanOrEqual(4 + 10 * 120 + 30);
    world.onRequest = failBad('service-denied');
    await world.clock.advance(minuteMs);
    for (const name of good) expect(world.condition(name, 'Ready')).toBe('True/Succeeded');
    expect(world.connectionReady()).toBe('True/Connected');
  });

  it('on the only scope is recognized at once', async () => {
    const world = worldWith(['bad']);
    world.onRequest = failBad('service-denied');
    world.controller.start();
    await world.clock.advance(0);
    expect([world.connectionReady(), lists(world, 'bad')]).toEqual(['False/Unauthorized', 1]);
  });

  it('on the only other scope is recognized beside one that is refused alone', async () => {
    const world = await running(['bad', 'good-0']);
    expect(world.connectionReady()).toBe('True/Connected');
    world.onRequest = () => failWith('service-denied');
    await world.clock.advance(intervalMs);
    expect(world.connectionReady()).toBe('False/Unauthorized');
  });

  it('for a moment, until it is rotated, leaves nothing behind', async () => {
    const world = await running(good);
    let requests = 0;
    world.onRequest = () => {
      if (requests++ === 0) failWith('service-denied');
    };
    await world.clock.advance(intervalMs);
    expect(requests).toBeGreaterThan(good.length);
    for (const name of good) expect(world.condition(name, 'Ready')).toBe('True/Succeeded');
    expect(connectionEvents(world)).toEqual([]);
  });

  it('is asked about again on the scope that was refused alone, once the connection is edited', async () => {
    const world = await running();
    world.onRequest = () => undefined;
    const { metadata, spec } = connection();
    world.apply({ kind: 'RoleAlertConnection', metadata: { ...metadata, generation: 2 }, spec } as never);
    await world.clock.advance(minuteMs);
    expect(world.condition('bad', 'Ready')).toBe('True/Succeeded');
  });

  it.each([
    ['beside others', ['bad', ...good]],
    ['on the only scope', ['bad']],
  ])('for the PATCH of one alert concerns that alert, when the list is accepted (%s)', async (_, names) => {
    const world = worldWith(names);
    world.live.set(scopeOf('bad'), [alert({ isActive: false })]);
    world.onRequest = ({ kind }) => {
      if (kind === 'patch') failWith('service-denied');
    };
    world.controller.start();
    await world.clock.advance(2 * hourMs);
    expect([world.connectionReady(), world.condition('bad', 'Ready')]).toEqual([
      'True/Connected',
      'False/CorrectionFailed',
    ]);
    expect(world.count('patch')).toBeLessThanOrEqual(7);
    expect(connectionEvents(world)).toEqual([]);
  });

  it('everywhere, and accepted again without a change, is noticed although one scope is throttled all the time', async () => {
    const world = await running([...good.slice(0, 4), 'busy']);
    const throttle = ({ scope }: SentRequest) => {
      if (scope === scopeOf('busy')) failWith('service-busy', { retryAfterMs: 5000 });
    };
    world.onRequest = (request) => {
      throttle(request);
      failWith('service-denied');
    };
    await world.clock.advance(4 * hourMs);
    expect(world.connectionReady()).toBe('False/Unauthorized');
    world.onRequest = throttle;
    await world.clock.advance(3 * hourMs);
    for (const name of good.slice(0, 4)) expect(world.condition(name, 'Ready')).toBe('True/Succeeded');
  });

  it.each(['scope-not-found', 'scope-forbidden', 'service-rejected'] as const)(
    'on one scope only is shown as forbidden there also when the others end in %s',
    async (code) => {
      const world = worldWith(['bad', ...good]);
      world.onRequest = ({ scope }) => failWith(scope.includes('/bad') ? 'service-denied' : code);
      world.controller.start();
      await world.clock.advance(hourMs);
      expect([world.condition('bad', 'Ready'), world.connectionReady()]).toEqual([
        'False/ScopeForbidden',
        'True/Connected',
      ]);
      const sinceMs = world.clock.monotonic();
      await world.clock.advance(10 * hourMs);
      // Once an hour each.
      expect(world.count('list', sinceMs)).toBeLessThanOrEqual(21 * 11);
    },
  );
});

it('a stop leaves no timer when the last attempt finds the credential refused', async () => {
  const world = worldWith(['bad', 'good']);
  const ends: (() => void)[] = [];
  world.duringList = () =>
    new Promise((_, reject) => {
      ends.push(() => reject(new AlertsError('service-denied', 'as the test wants it')));
    });
  world.controller.start();
  await world.clock.advance(1000);
  const stopped = world.controller.stop();
  await world.clock.advance(0);
  for (const end of ends) end();
  await world.clock.advance(0);
  await stopped;
  expect(world.clock.pendingTimers).toBe(0);
});
