// Scopes on which the service answers 429, in virtual time with the real rate limiter: all scopes wait for the requested time, and
// then those that waited longest go first.
import { expect, test } from 'vitest';

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
