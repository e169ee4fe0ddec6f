// Scopes that fail permanently beside scopes that work, in virtual time: the others are reconciled, whatever the failure is.
import { describe, expect, it } from 'vitest';

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

const connectionEvents = (world: ControllerWorld) => world.events.filter((event) => event.endsWith(' prod'));

describe('a credential that the service refuses', () => {
  const good = namesOf('good', 20);

  async function running(names: readonly string[] = ['bad', ...good]): Promise<ControllerWorld> {
    const world = worldWith(names);
    world.onRequest = failBad('service-denied');
    await world.start(hourMs);
    return world;
  }

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
