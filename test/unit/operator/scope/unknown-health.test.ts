// The health of a connection in a policy's status before the first response of the service.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { connection, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

test('no policy calls its connection ready before the service has answered', async () => {
  const world = new FakeWorld();
  world.onRequest = ({ scope }) => {
    if (scope.endsWith('a')) throw new AlertsError('service-denied', '401');
    throw new AlertsError('service-unreachable', 'reset');
  };
  world.apply(connection());
  world.apply(policy());
  world.apply(policy({ name: 'other', spec: { scope: 'subscriptions/b' } }));
  world.controller.start();
  await world.clock.advance(100);
  expect([world.condition('owners', 'ConnectionReady'), world.condition('other', 'ConnectionReady')]).not.toContain(
    'True/Connected',
  );
});
