// The log while the service throttles all scopes of a connection.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { alert, connection, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const hourMs = 3_600_000;

test('a service that answers 429 for good is logged once for each response, not for each scope that waits', async () => {
  const world = new FakeWorld({ rateLimits: { requestsPerHour: 3600, burst: 20 } });
  world.onRequest = () => {
    throw new AlertsError('service-busy', 'too many requests', { retryAfterMs: 30_000 });
  };
  world.apply(connection());
  for (let index = 0; index < 50; index++) {
    world.live.set(`subscriptions/${index}`, [alert()]);
    world.apply(policy({ name: `p${index}`, spec: { scope: `subscriptions/${index}` } }));
  }
  world.controller.start();
  await world.clock.advance(2 * hourMs);
  expect(world.warnings.length).toBeLessThanOrEqual(world.requests.length);
});
