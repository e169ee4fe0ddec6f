// Scopes on which the service answers 429, over the fake world with the real rate limiter: all scopes wait for the requested time, and
// then those that waited longest go first.
import { describe, expect, it } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { alert, connection, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const minuteMs = 60_000;
const halfDayMs = 12 * 60 * minuteMs;
const rateLimits = { requestsPerHour: 3600, burst: 20 };

const scopeOf = (name: string) => `subscriptions/${name}`;
const namesOf = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index}`);

function busy(retryAfterMs: number): never {
  throw new AlertsError('service-busy', 'as the test wants it', { status: 429, retryAfterMs });
}

/** 429 for every request on a scope whose name begins with `busy`. */
function worldWith(names: readonly string[], retryAfterMs: number): FakeWorld {
  const world = new FakeWorld({ intervalMs: 15 * minuteMs, rateLimits });
  world.onRequest = ({ scope }) => {
    if (scope.includes('/busy')) busy(retryAfterMs);
  };
  world.apply(connection());
  for (const name of names) {
    world.live.set(scopeOf(name), [alert()]);
    world.apply(policy({ name, spec: { scope: scopeOf(name) } }));
  }
  world.controller.start();
  return world;
}

const lists = (world: FakeWorld, name: string, sinceMs = 0) =>
  world.requests.filter(({ scope, atMs }) => scope === scopeOf(name) && atMs >= sinceMs).length;

/** Nothing goes out before the end of a pause, except what was in progress when it began. */
function expectPausesKept(world: FakeWorld, retryAfterMs: number): void {
  let begunMs = -Infinity;
  const tooEarly = world.requests.filter(({ scope, atMs }) => {
    const isTooEarly = atMs > begunMs && atMs < begunMs + retryAfterMs;
    if (scope.includes('/busy')) begunMs = atMs;
    return isTooEarly;
  });
  expect(tooEarly).toEqual([]);
}

describe('a scope that gets a 429 for good', () => {
  it.each([
    [1, 20, 60 * minuteMs],
    [5, 100, 60 * minuteMs],
    [50, 20, 60 * minuteMs],
    [2, 1, 60 * minuteMs],
  ])('%i of them leave half of the time to %i others, Retry-After %i ms', async (count, others, retryAfterMs) => {
    const good = namesOf('good', others);
    const world = worldWith([...namesOf('busy', count), ...good], retryAfterMs);
    // Until each got a 429 a second time.
    await world.clock.advance((2 * count + 1) * retryAfterMs);
    for (const name of good) expect(lists(world, name)).toBeGreaterThanOrEqual(1);
    const sinceMs = world.clock.monotonic();
    await world.clock.advance(halfDayMs);
    expectPausesKept(world, retryAfterMs);
    // Half of the 48 of half a day.
    for (const name of good) expect(lists(world, name, sinceMs)).toBeGreaterThanOrEqual(22);
    // One after the other; up to four are in progress when the 429 comes.
    const turns = namesOf('busy', count).map((name) => lists(world, name, sinceMs));
    expect(Math.max(...turns) - Math.min(...turns)).toBeLessThanOrEqual(4);
    expect(turns.reduce((sum, each) => sum + each)).toBeGreaterThanOrEqual(5);
  });

  it('is not heard more often for being edited every second', async () => {
    const good = namesOf('good', 20);
    const world = worldWith(['busy', ...good], 10 * minuteMs);
    for (let second = 0; second < 2 * 3600; second++) {
      const metadata = { generation: 2 + second };
      world.apply(policy({ name: 'busy', spec: { scope: scopeOf('busy') }, metadata }));
      await world.clock.advance(1000);
    }
    expectPausesKept(world, 10 * minuteMs);
    for (const name of good) expect(lists(world, name)).toBeGreaterThanOrEqual(4);
  });

  it('is retried as soon as it is no longer, although others get a 429 again and again', async () => {
    const good = namesOf('good', 20);
    const world = worldWith(['busy', ...good], 10 * minuteMs);
    await world.clock.advance(60 * minuteMs);
    // Every tenth request, on whichever scope.
    world.onRequest = () => {
      if (world.requests.length % 10 === 0) busy(10 * minuteMs);
    };
    const sinceMs = world.clock.monotonic();
    await world.clock.advance(5 * 60 * minuteMs);
    expect(lists(world, 'busy', sinceMs)).toBeGreaterThanOrEqual(2);
  });

  it('alone on its connection is retried as soon as the service allows', async () => {
    const world = worldWith(['busy'], 10 * minuteMs);
    await world.clock.advance(60 * minuteMs);
    expect(lists(world, 'busy')).toBe(7);
  });
});

it('a connection stays Throttled to the end of a pause, although a response came in late', async () => {
  const world = worldWith(['a', 'b'], 60 * minuteMs);
  await world.clock.advance(minuteMs);
  let end = () => {};
  world.duringList = () => new Promise((resolve) => (end = resolve));
  world.apply(policy({ name: 'b', spec: { scope: scopeOf('b') }, metadata: { generation: 2 } }));
  await world.clock.advance(0);
  world.onRequest = () => busy(60 * minuteMs);
  world.apply(policy({ name: 'a', spec: { scope: scopeOf('a') }, metadata: { generation: 2 } }));
  await world.clock.advance(0);
  world.onRequest = () => undefined;
  end();
  await world.clock.advance(20 * minuteMs);
  expect(world.connectionReady()).toBe('False/Throttled');
});

describe('the end of a pause', () => {
  it('brings those first that waited longest, and last the scope that got a 429', async () => {
    const order = [3, 5, 4, 2, 1, 0];
    const world = worldWith([], minuteMs);
    for (const [place, index] of order.entries()) {
      const scope = scopeOf(`good-${index}`);
      world.live.set(scope, [alert()]);
      world.apply(policy({ name: `good-${index}`, spec: { scope, interval: `${5 + place}m` } }));
    }
    await world.clock.advance(5 * minuteMs - 1);
    // Good-3 is due first and meets it; the others come due one after the other while all wait.
    world.onRequest = () => busy(30 * minuteMs);
    await world.clock.advance(1);
    world.onRequest = () => undefined;
    const before = world.requests.length;
    await world.clock.advance(30 * minuteMs);
    const asked = world.requests.slice(before).map(({ scope }) => Number(scope.at(-1)));
    expect(asked).toEqual([5, 4, 2, 1, 0, 3]);
  });

  it('serves an edit of the pause first', async () => {
    const good = namesOf('good', 200);
    const world = worldWith(['busy', ...good], 10 * minuteMs);
    await world.clock.advance(5 * minuteMs);
    world.apply(policy({ name: 'good-150', spec: { scope: scopeOf('good-150') }, metadata: { generation: 2 } }));
    await world.clock.advance(5 * minuteMs + 2000);
    expect(world.policies.get('team/good-150')?.status?.observedGeneration).toBe(2);
  });
});

it('a policy is Stale after three intervals, also within one long pause', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs, rateLimits });
  world.live.set(scopeOf('good'), [alert()]);
  world.apply(connection());
  world.apply(policy({ spec: { scope: scopeOf('good') } }));
  world.controller.start();
  await world.clock.advance(10_000);
  world.onRequest = () => busy(60 * minuteMs);
  await world.clock.advance(2 * minuteMs);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  await world.clock.advance(minuteMs);
  expect(world.condition('owners', 'Ready')).toBe('Unknown/Stale');
  const { writes } = world.policies;
  await world.clock.advance(57 * minuteMs);
  expect(world.policies.writes).toBe(writes);
  expect(world.count('list')).toBe(2);
  world.onRequest = () => undefined;
  await world.clock.advance(minuteMs);
  expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
});
