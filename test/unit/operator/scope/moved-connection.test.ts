// A connection whose endpoint changes while its ledger has entries. The CRD refuses that; an older one in the cluster does not.
import { expect, test } from 'vitest';

import { alertName, connection, firing, inactive, policy, prodFields } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const hourMs = 3_600_000;
const quiet = policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } });

async function dismissed() {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['6f1c'])]);
  world.apply(connection());
  world.apply(quiet);
  world.controller.start();
  await world.clock.advance(1000);
  expect(world.live.get(scope)?.[0]?.isActive).toBe(false);
  return world;
}

/** The fake has one service at a time: what is sent from now on goes to this one. */
function move(world: FakeWorld, endpoint: object) {
  const prod = world.connections.get('team/prod') ?? connection();
  const generation = (prod.metadata.generation ?? 1) + 1;
  const spec = { ...prod.spec, endpoint: { ...prod.spec.endpoint, ...endpoint } };
  world.apply({ ...prod, metadata: { ...prod.metadata, generation }, spec });
}

const patches = (world: FakeWorld) =>
  world.requests.filter(({ kind }) => kind === 'patch').map((sent) => sent.isActive);

test.each([
  ['another address', { baseURL: 'https://elsewhere.example.net' }],
  ['another namespace of the provider', { providerNamespace: 'Other.Authorization' }],
])('an alert that others deactivated at %s is not taken for one of ours', async (_, endpoint) => {
  const world = await dismissed();
  world.live.set(scope, [firing(['6f1c'], { isActive: false })]);
  move(world, endpoint);
  await world.clock.advance(1000);
  world.remove(quiet);
  await world.clock.advance(24 * hourMs);
  expect(patches(world)).toEqual([false]);
  expect(world.connections.get('team/prod')?.status?.dismissals ?? []).toEqual([]);
});

test('the log names each alert that stays inactive at the service that the connection leaves', async () => {
  const world = await dismissed();
  move(world, { baseURL: 'https://elsewhere.example.net' });
  await world.clock.advance(1000);
  expect(world.errors).toEqual(['dismissals dropped, their connection moved to another service']);
  expect(world.errorFacts).toEqual([{ ...prodFields, alerts: [{ scope, alert: alertName }] }]);
});

test('a PATCH that the former service did not confirm is not verified at the next one', async () => {
  const world = await dismissed();
  world.doesStick = false;
  world.remove(quiet);
  await world.clock.advance(1000);
  expect(patches(world)).toEqual([false, true]);
  world.live.set(scope, [firing([])]);
  world.events.length = 0;
  move(world, { baseURL: 'https://elsewhere.example.net' });
  world.apply(policy());
  await world.clock.advance(hourMs);
  expect(world.events).toEqual([]);
});

test.each([
  ['written in another way', { baseURL: 'https://SERVICE.example:443/' }],
  ['with another version of its API', { apiVersion: '2027-01-01' }],
])('the same service %s keeps the ledger', async (_, endpoint) => {
  const world = await dismissed();
  move(world, endpoint);
  await world.clock.advance(1000);
  world.remove(quiet);
  await world.clock.advance(1000);
  expect(patches(world)).toEqual([false, true]);
  expect(world.errors).toEqual([]);
});
