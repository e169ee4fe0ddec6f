// A credential that the service refuses, on some scopes and then on every scope, in virtual time.
import { describe, expect, it } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { alert, connection, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld, type SentRequest } from '../../../support/rigs/controller-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const intervalMs = 15 * minuteMs;
const rateLimits = { requestsPerHour: 3600, burst: 20 };

const scopeOf = (name: string) => `subscriptions/${name}`;
const namesOf = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index}`);

function refuse(): never {
  throw new AlertsError('service-denied', 'as the test wants it');
}

/** Every request on a scope whose name begins with `bad` is refused. */
function failBad({ scope }: SentRequest): void {
  if (scope.includes('/bad')) refuse();
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

const connectionEvents = (world: ControllerWorld) => world.events.filter((event) => event.endsWith(' prod'));

describe('a credential that the service refuses', () => {
  const good = namesOf('good', 20);

  it('on thirty scopes keeps none of five others from its interval', async () => {
    const [bad, others] = [namesOf('bad', 30), namesOf('good', 5)];
    const world = worldWith([...bad, ...others]);
    world.onRequest = failBad;
    // Until each of them was found out.
    await world.start(2 * hourMs);
    const sinceMs = world.clock.monotonic();
    await world.clock.advance(2 * hourMs);
    const lists = (name: string) =>
      world.requests.filter(({ scope, atMs }) => scope === scopeOf(name) && atMs >= sinceMs).length;
    for (const name of others) expect(lists(name)).toBeGreaterThanOrEqual(7);
    for (const name of bad) expect(lists(name)).toBeLessThanOrEqual(2 * 16);
    expect(world.connectionReady()).toBe('True/Connected');
  });

  it('on every scope later is still recognized, and few requests find it out', async () => {
    const world = worldWith(['bad', ...good]);
    world.onRequest = failBad;
    await world.start(hourMs);
    const sinceMs = world.clock.monotonic();
    world.onRequest = refuse;
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
    world.onRequest = failBad;
    await world.clock.advance(minuteMs);
    for (const name of good) expect(world.condition(name, 'Ready')).toBe('True/Succeeded');
    expect(world.connectionReady()).toBe('True/Connected');
  });
});

it('a refusal is forgotten when the policy of its scope is suspended', async () => {
  const world = worldWith(['bad', 'other']);
  world.onRequest = (sent) => {
    failBad(sent);
    throw new AlertsError('service-protocol', 'as the test wants it');
  };
  await world.start(20_000);
  const suspended = { spec: { scope: scopeOf('bad'), suspend: true }, metadata: { generation: 2 } };
  world.apply(policy({ name: 'bad', ...suspended }));
  await world.clock.advance(hourMs);
  expect(world.connectionReady()).toBe('True/Connected');
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
