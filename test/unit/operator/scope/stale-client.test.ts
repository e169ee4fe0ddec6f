// A changed connection: what was planned or asked for with its old spec is not sent with the old address and credential any more.
import { expect, test } from 'vitest';

import type { RoleAlertConnection } from '../../../../src/policy/resources.ts';
import { alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const moved = { ...connection().spec.endpoint, baseURL: 'https://elsewhere.example.net' };
const otherToken = { tokenSecretRef: { name: 'other', key: 'token' } };

test.each<readonly [string, Partial<RoleAlertConnection['spec']>]>([
  ['endpoint', { endpoint: moved }],
  ['credential', { auth: otherToken }],
])('a list that waits for the rate limiter is not sent with the old %s', async (_, spec) => {
  const world = new FakeWorld({ rateLimits: { requestsPerHour: 60, burst: 2 } });
  world.apply(connection());
  world.apply(policy({ name: 'resting', spec: { scope: 'subscriptions/resting', suspend: true } }));
  for (const name of ['a', 'b', 'c', 'd']) {
    world.live.set(`subscriptions/${name}`, [alert()]);
    world.apply(policy({ name, spec: { scope: `subscriptions/${name}` } }));
  }
  world.controller.start();
  await world.clock.advance(1000);
  const before = world.requests.length;
  const { metadata } = connection();
  world.apply({ ...connection(spec), metadata: { ...metadata, generation: 2 } });
  await world.clock.advance(30 * minuteMs);
  const later = world.requests.slice(before);
  expect(new Set(later.map(({ generation }) => generation))).toEqual(new Set([2]));
  expect(new Set(later.map(({ scope }) => scope)).size).toBe(4);
});
