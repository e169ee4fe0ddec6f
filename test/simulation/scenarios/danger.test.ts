// Traps of users, which wait for the next deactivation of the operator.
import { expect, test } from 'vitest';

import { seededRandom } from '../../../src/lib/random.ts';
import { addScope, createFixture, createPolicy, policyOf } from '../fixture.ts';
import { readResources } from '../kube/resources.ts';
import { rogueIn } from '../rogue.ts';
import { danger } from './danger.ts';
import { plainPlace } from './generators.ts';

const resources = await readResources();
const scope = 'subscriptions/one';
const dismissal = { reason: 'tracked in SEC-1182', until: '2026-01-02T00:00:00Z' };

test.each([
  ['during the acts', 60_000, true],
  ['but not once they are over, because then nothing may change', 5000, false],
])('a user withdraws a dismissal once it is sent, %s', async (_when, actsUntilMs, isWithdrawn) => {
  const world = createFixture(resources, { seed: 1 });
  addScope(world, scope, { A: true });
  createPolicy(world, 'owners', { scope, alerts: [{ name: 'A', state: 'Inactive', dismissal }] });
  const before = JSON.stringify(policyOf(world, 'owners')?.spec);
  danger['withdraw once it is sent']?.({ world, random: seededRandom(1), actsUntilMs, place: plainPlace });
  await world.time.runUntil(10_000);
  await rogueIn(world).turn('A', false);
  await world.time.runUntil(20_000);
  expect(JSON.stringify(policyOf(world, 'owners')?.spec) !== before).toBe(isWithdrawn);
});
