// What is logged while the service asks all scopes of a connection to wait.
import { expect, test } from 'vitest';

import { OperatorError } from '../../../src/lib/errors.ts';
import { FakeWorld } from '../../support/fake-world.ts';
import { alert, connection, policy } from '../../support/plan-input.ts';

const hourMs = 3_600_000;

test('a service that answers 429 for good is logged once for each answer, not for each scope that waits', async () => {
  const world = new FakeWorld({ budget: { requestsPerHour: 3600, burst: 20 } });
  world.onRequest = () => {
    throw new OperatorError('service-busy', 'too many requests', { retryAfterMs: 30_000 });
  };
  world.apply(connection());
  for (let index = 0; index < 50; index++) {
    world.live.set(`subscriptions/${index}`, [alert()]);
    world.apply(policy({ name: `p${index}`, spec: { scope: `subscriptions/${index}` } }));
  }
  world.operator.start();
  await world.clock.advance(2 * hourMs);
  expect(world.warnings.length).toBeLessThanOrEqual(world.requests.length);
});
