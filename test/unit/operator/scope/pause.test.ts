// Scopes on which the service answers 429: how often that is logged, and which time a throttled scope leaves to the others.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { ConnectionRuntime } from '../../../../src/operator/connection/runtime.ts';
import { failureOf } from '../../../../src/operator/decide/failures.ts';
import { connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const rateLimits = { requestsPerHour: 3600, burst: 20 };

test('a service that answers 429 for good is logged once for each response, not for each scope that waits', async () => {
  const world = new ControllerWorld({ intervalMs: 15 * minuteMs, rateLimits });
  world.onRequest = () => {
    throw new AlertsError('service-busy', 'as the test wants it', { status: 429, retryAfterMs: minuteMs / 2 });
  };
  world.apply(connection());
  for (let index = 0; index < 50; index++)
    world.apply(policy({ name: `busy-${index}`, spec: { scope: `subscriptions/${index}` } }));
  await world.start(120 * minuteMs);
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
