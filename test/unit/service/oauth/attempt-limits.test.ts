import { expect, test } from 'vitest';

import { createAttemptLimits } from '../../../../src/service/oauth/attempt-limits.ts';
import { createMemoryAttemptCounters } from '../../../../src/service/oauth/memory-attempt-counters.ts';
import { createMemoryKnownCallers } from '../../../../src/service/oauth/memory-known-callers.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

test('a flood of other credentials from very many addresses closes no name for passwords', async () => {
  const clock = handClock();
  const limits = createAttemptLimits(() => createMemoryAttemptCounters(clock, 30), createMemoryKnownCallers());
  for (let network = 0; network < 250; network++) {
    const attempt = { name: `invented-${network}`, address: `10.0.0.${network}` };
    for (const limit of [limits.secrets, limits.assertions, limits.codes, limits.tokens]) {
      await limit.noteFailure(attempt);
    }
  }
  expect(await limits.passwords.isClosed({ name: 'ada', address: '192.0.2.9' })).toBe(false);
});
