// Scopes on which the service answers 429, in virtual time with the real rate limiter: all scopes wait for the requested time, and
// then those that waited longest go first.
import { describe, expect, it, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { ConnectionRuntime } from '../../../../src/operator/connection/runtime.ts';
import { failureOf } from '../../../../src/operator/decide/failures.ts';
import { alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const rateLimits = { requestsPerHour: 3600, burst: 20 };

const scopeOf = (name: string) => `subscriptions/${name}`;
const namesOf = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index}`);

function busy(retryAfterMs: number): never {
  throw new AlertsError('service-busy', 'as the test wants it', { status: 429, retryAfterMs });
}

/** 429 for every request on a scope whose name begins with `busy`. */
function worldWith(names: readonly string[], retryAfterMs: number): ControllerWorld {
  const world = new ControllerWorld({ intervalMs: 15 * minuteMs, rateLimits });
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

test('a service that answers 429 for good is logged once for each response, not for each scope that waits', async () => {
  const world = worldWith(namesOf('busy', 50), minuteMs / 2);
  await world.clock.advance(120 * minuteMs);
  expect(world.warnings.length).toBeLessThanOrEqual(world.requests.length);
});

const throttled = failureOf(new AlertsError('service-busy', 'as the test wants it'));

function newRuntime(clock: ManualClock): ConnectionRuntime {
  const keys = { moveBack: () => undefined };
  const parts = {
    key: 'team/prod',
    clock,
    random: seededRandom(1),
    workQueue: { keys, hold: () => undefined, abortWaits: () => undefined },
    demand: { invalidate: () => undefined },
  };
  return new ConnectionRuntime(parts as never);
}

const second = 1000;

/** Each of them gets a 429 after the pause of the one before. `a`, `b` and `c` have to be listed. Resolves with what the connection holds. */
async function afterBusy(scopes: string, leaving = ''): Promise<ConnectionRuntime> {
  const clock = new ManualClock();
  const runtime = newRuntime(clock);
  for (const scope of ['a', 'b', 'c']) runtime.state(scope);
  for (const scope of leaving) runtime.stopListing(scope);
  for (const scope of scopes) {
    await clock.advance(runtime.pauseLeftMs(scope));
    runtime.ended(scope, throttled, 5 * second);
  }
  return runtime;
}

test.each([
  ['leaves time to others, of which the pauses have rejected every list so far', 'aa', '', [10, 5, 5]],
  ['leaves time to a scope that got one before, of which they have rejected every list since', 'cbaa', '', [10, 5, 5]],
  ['leaves time together with those that got one since', 'aba', '', [10, 10, 5]],
  ['leaves none while every scope got one since', 'abca', '', [5, 5, 5]],
  ['leaves none to scopes that do not have to be listed', 'aa', 'bc', [5, 5, 5]],
])('a scope that gets a 429 again %s', async (_, busy, leaving, seconds) => {
  const runtime = await afterBusy(busy, leaving);
  expect(['a', 'b', 'c'].map((scope) => runtime.pauseLeftMs(scope) / second)).toEqual(seconds);
});

test('a scope that the pause of another rejects is as throttled as before', async () => {
  const runtime = await afterBusy('ab');
  for (const scope of ['a', 'c']) runtime.ended(scope, throttled, 5 * second);
  expect(['a', 'b', 'c'].map((scope) => runtime.isThrottled(scope))).toEqual([true, true, false]);
});
