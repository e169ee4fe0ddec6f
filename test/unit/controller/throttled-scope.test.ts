// Which scopes a pause keeps back longer: those whose last answer was a 429, not those that the pause of another scope rejects.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import { ConnectionRuntime } from '../../../src/controller/connection-runtime.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { failureOf } from '../../../src/plan/failures.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const throttled = failureOf(new AlertsError('service-busy', 'as the test wants it'));

test.each([
  ['was listed before the pause of another scope rejects it', true, false],
  ['the pause of another scope rejects before its list', false, true],
])('a scope that got a 429 and that %s', async (_, isListed, expected) => {
  const clock = new ManualClock();
  const keys = { moveBack: () => undefined };
  const parts = {
    key: 'team/prod',
    clock,
    random: seededRandom(1),
    workQueue: { keys, hold: () => undefined, abortWaits: () => undefined },
    demand: { note: () => undefined },
  };
  const runtime = new ConnectionRuntime(parts as never);
  runtime.ended('a', throttled, 5000, false);
  await clock.advance(10_000);
  runtime.ended('b', throttled, 5000, false);
  runtime.ended('a', throttled, 5000, isListed);
  expect([runtime.state('a').isThrottled, runtime.state('b').isThrottled]).toEqual([expected, true]);
});
