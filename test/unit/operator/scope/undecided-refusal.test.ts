// A 401 for one scope while every other scope fails in another way: nothing shows whether the credential is valid.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import { alert, connection, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const hourMs = 3_600_000;
const names = ['a', 'b'];

/** `a` gets a 401, `b` fails with the code, until the test says otherwise. */
async function undecided(code: ErrorCode, forMs = hourMs): Promise<FakeWorld> {
  const world = new FakeWorld();
  world.onRequest = ({ scope }) => {
    throw errorOf(scope === 'subscriptions/a' ? 'service-denied' : code, 'made to fail');
  };
  world.apply(connection());
  for (const name of names) {
    world.live.set(`subscriptions/${name}`, [alert()]);
    world.apply(policy({ name, spec: { scope: `subscriptions/${name}` } }));
  }
  world.controller.start();
  await world.clock.advance(forMs);
  return world;
}

const listsOf = (world: FakeWorld, name: string, sinceMs: number) =>
  world.requests.filter(({ scope, atMs }) => scope === `subscriptions/${name}` && atMs >= sinceMs).length;

const codes: ErrorCode[] = ['service-protocol', 'service-unreachable', 'service-busy'];

test.each(codes)(
  'a refused credential is not sent every 30 s for ever where other scopes fail with %s',
  async (code) => {
    const world = await undecided(code);
    await world.clock.advance(hourMs);
    expect(listsOf(world, 'a', hourMs)).toBeLessThanOrEqual(13);
    expect(world.connectionReady()).toBe('False/Unauthorized');
    expect(world.connections.get('team/prod')?.status?.observedGeneration).toBe(1);
  },
);

test.each(codes)(
  'another scope that failed with %s is listed within six minutes once the service serves it',
  async (code) => {
    const world = await undecided(code);
    world.onRequest = ({ scope }) => {
      if (scope === 'subscriptions/a') throw new AlertsError('service-denied', 'made to fail');
    };
    await world.clock.advance(360_000);
    expect([world.condition('b', 'Ready'), world.connectionReady()]).toEqual(['True/Succeeded', 'True/Connected']);
  },
);

const policyOfA = (suspend: boolean, generation: number) =>
  policy({ name: 'a', spec: { scope: 'subscriptions/a', suspend }, metadata: { generation } });

test.each<[string, (world: FakeWorld) => void]>([
  ['deleted', (world) => world.remove(policyOfA(false, 1))],
  ['suspended', (world) => world.apply(policyOfA(true, 2))],
])('a refusal is forgotten when the policy of its scope is %s', async (_, leave) => {
  const world = await undecided('service-protocol', 20_000);
  leave(world);
  await world.clock.advance(2 * hourMs);
  expect(listsOf(world, 'b', hourMs)).toBeLessThanOrEqual(16);
  expect(world.connections.get('team/prod')?.status?.observedGeneration).toBe(1);
});

test('a scope that was refused alone shows the connection once every scope is refused', async () => {
  const world = new FakeWorld();
  let isValid = true;
  world.onRequest = ({ scope }) => {
    if (!isValid || scope === 'subscriptions/a') throw new AlertsError('service-denied', 'made to fail');
  };
  world.apply(connection());
  for (const name of names) {
    world.live.set(`subscriptions/${name}`, [alert()]);
    world.apply(policy({ name, spec: { scope: `subscriptions/${name}` } }));
  }
  world.controller.start();
  await world.clock.advance(hourMs);
  expect(world.condition('a', 'Ready')).toBe('False/ScopeForbidden');
  isValid = false;
  await world.clock.advance(hourMs);
  expect(world.condition('a', 'Ready')).toBe('False/ConnectionNotReady');
  const { writes } = world.policies;
  await world.clock.advance(hourMs);
  expect(world.policies.writes).toBe(writes);
});
