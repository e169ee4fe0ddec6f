// Scopes that fail permanently beside scopes that work, in virtual time: the others are reconciled, whatever the failure is.
import { describe, expect, it, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { type ErrorCode, errorOf } from '../../../support/builders/errors.ts';
import { alert, connection, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld, type SentRequest } from '../../../support/rigs/controller-world.ts';

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

function worldWith(names: readonly string[]): ControllerWorld {
  const world = new ControllerWorld({ intervalMs, rateLimits });
  world.apply(connection());
  for (const name of names) {
    world.live.set(scopeOf(name), [alert()]);
    world.apply(policy({ name, spec: { scope: scopeOf(name) } }));
  }
  return world;
}

function lists(world: ControllerWorld, name: string, sinceMs = 0): number {
  return world.requests.filter(({ kind, scope, atMs }) => kind === 'list' && scope === scopeOf(name) && atMs >= sinceMs)
    .length;
}

const connectionEvents = (world: ControllerWorld) => world.events.filter((event) => event.endsWith(' prod'));

describe('several scopes that fail permanently', () => {
  it.each<[number, number, ErrorCode]>([
    [5, 100, 'service-unreachable'],
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
});

describe('a credential that the service refuses', () => {
  const good = namesOf('good', 20);

  async function running(names: readonly string[] = ['bad', ...good]): Promise<ControllerWorld> {
    const world = worldWith(names);
    world.onRequest = failBad('service-denied');
    await world.start(hourMs);
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

  it('is asked about again on the scope that was refused alone, once the connection is edited', async () => {
    const world = await running();
    world.onRequest = () => undefined;
    world.apply({ ...connection(), metadata: { ...connection().metadata, generation: 2 } });
    await world.clock.advance(minuteMs);
    expect(world.condition('bad', 'Ready')).toBe('True/Succeeded');
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
});

it('a stop leaves no timer when the last attempt finds the credential refused', async () => {
  const world = worldWith(['bad', 'good']);
  const ends: (() => void)[] = [];
  world.duringList = () =>
    new Promise((_, reject) => {
      ends.push(() => reject(new AlertsError('service-denied', 'as the test wants it')));
    });
  await world.start(1000);
  const stopped = world.controller.stop();
  await world.clock.advance(0);
  for (const end of ends) end();
  await world.clock.advance(0);
  await stopped;
  expect(world.clock.pendingTimers).toBe(0);
});

/** `a` gets a 401, `b` fails with the code, until the test says otherwise. */
async function undecided(code: ErrorCode, forMs = hourMs): Promise<ControllerWorld> {
  const world = worldWith(['a', 'b']);
  world.onRequest = ({ scope }) => failWith(scope === scopeOf('a') ? 'service-denied' : code);
  await world.start(forMs);
  return world;
}

test.each(['service-protocol', 'service-unreachable', 'service-busy'] as const)(
  'beside scopes that fail with %s a refused credential is not sent every 30 s for ever, and they are listed once they work',
  async (code) => {
    const world = await undecided(code);
    await world.clock.advance(hourMs);
    expect(lists(world, 'a', hourMs)).toBeLessThanOrEqual(13);
    expect(world.connectionReady()).toBe('False/Unauthorized');
    expect(world.connections.get('team/prod')?.status?.observedGeneration).toBe(1);
    world.onRequest = ({ scope }) => {
      if (scope === scopeOf('a')) failWith('service-denied');
    };
    await world.clock.advance(6 * minuteMs);
    expect([world.condition('b', 'Ready'), world.connectionReady()]).toEqual(['True/Succeeded', 'True/Connected']);
  },
);

const policyOfA = (suspend: boolean, generation: number) =>
  policy({ name: 'a', spec: { scope: 'subscriptions/a', suspend }, metadata: { generation } });

test.each<[string, (world: ControllerWorld) => void]>([
  ['deleted', (world) => world.remove(policyOfA(false, 1))],
  ['suspended', (world) => world.apply(policyOfA(true, 2))],
])('a refusal is forgotten when the policy of its scope is %s', async (_, leave) => {
  const world = await undecided('service-protocol', 20_000);
  leave(world);
  await world.clock.advance(2 * hourMs);
  expect(lists(world, 'b', hourMs)).toBeLessThanOrEqual(16);
  expect(world.connections.get('team/prod')?.status?.observedGeneration).toBe(1);
});
