// Which scopes a pause keeps back longer: those whose last answer was a 429, not those that the pause of another scope rejects.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import { ConnectionRuntime } from '../../../src/controller/connection-runtime.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { failureOf } from '../../../src/plan/failures.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const throttled = failureOf(new AlertsError('service-busy', 'as the test wants it'));

function newRuntime(clock: ManualClock): ConnectionRuntime {
  const keys = { moveBack: () => undefined };
  const parts = {
    key: 'team/prod',
    clock,
    random: seededRandom(1),
    workQueue: { keys, hold: () => undefined, abortWaits: () => undefined },
    demand: { note: () => undefined },
  };
  return new ConnectionRuntime(parts as never);
}

test.each([
  ['was listed before the pause of another scope rejects it', true, false],
  ['the pause of another scope rejects before its list', false, true],
])('a scope that got a 429 and that %s', async (_, isListed, expected) => {
  const clock = new ManualClock();
  const runtime = newRuntime(clock);
  runtime.ended('a', throttled, 5000, false);
  await clock.advance(10_000);
  runtime.ended('b', throttled, 5000, false);
  runtime.ended('a', throttled, 5000, isListed);
  expect([runtime.state('a').isThrottled, runtime.state('b').isThrottled]).toEqual([expected, true]);
});

test.each([
  ['leaves time to another, of which the pauses have rejected every list so far', ['a'], 10_000],
  ['leaves none while every scope got a 429', ['a', 'b'], 5000],
])('a scope that gets a 429 again %s', async (_, busy, leftMs) => {
  const clock = new ManualClock();
  const runtime = newRuntime(clock);
  for (const scope of ['a', 'b']) runtime.state(scope);
  for (const scope of busy) {
    runtime.ended(scope, throttled, 5000, false);
    await clock.advance(5000);
  }
  runtime.ended('a', throttled, 5000, false);
  runtime.ended('b', throttled, 5000, false);
  expect([runtime.pauseLeftMs('a'), runtime.pauseLeftMs('b')]).toEqual([leftMs, 5000]);
});
