// Two connections to one service know nothing of each other: what one does is to the other the work of any client.
import { describe, expect, test } from 'vitest';

import { errorOf } from '../../../support/builders/errors.ts';
import { active, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import {
  neighbour,
  neighboursPolicy,
  scope,
  TwoConnectionsWorld,
} from '../../../support/rigs/two-connections-world.ts';

const hourMs = 60 * minuteMs;

/** The service refuses every PATCH with the credential of the neighbour, which may only list. */
function worldWithReader(): TwoConnectionsWorld {
  const world = new TwoConnectionsWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['a'])]);
  world.onRequest = ({ kind, connection: key }) => {
    if (kind === 'patch' && key === 'neighbour/prod') throw errorOf('alert-refused', 'forbidden');
  };
  world.apply(connection());
  world.apply(neighbour());
  return world;
}

/** A policy of the team and one of the reader that dismiss the same alert, which the team has deactivated. */
async function dismissedByBoth(theirs: Parameters<typeof neighboursPolicy>[0] = {}) {
  const world = worldWithReader();
  const owners = policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } });
  const readers = neighboursPolicy({ alerts: [inactive({ incidents: ['a', 'b', 'c'] })], ...theirs });
  world.apply(owners);
  world.apply(readers);
  world.controller.start();
  await world.clock.advance(10 * minuteMs);
  expect([world.isActive, world.patches().filter((sent) => sent.startsWith('team'))]).toEqual([
    false,
    ['team/prod false'],
  ]);
  return { world, owners, readers };
}

describe('an alert that one connection deactivated is active again, whatever a policy of a reader declares', () => {
  test('after its policy is deleted', async () => {
    const { world, owners } = await dismissedByBoth();
    world.remove(owners);
    await world.clock.advance(minuteMs);
    expect(world.isActive).toBe(true);
  });

  test('after its connection denies deactivations', async () => {
    const { world } = await dismissedByBoth();
    const now = world.connections.get('team/prod') ?? connection();
    world.apply({ ...now, metadata: { ...now.metadata, generation: 2 }, spec: { ...now.spec, deactivation: 'Deny' } });
    await world.clock.advance(minuteMs);
    expect(world.isActive).toBe(true);
  });

  test('after its connection is deleted', async () => {
    const { world, owners } = await dismissedByBoth();
    world.remove(owners);
    world.remove(connection());
    await world.clock.advance(minuteMs);
    expect(world.isActive).toBe(true);
  });

  test('while the service refuses the credential of the reader', async () => {
    const { world, owners } = await dismissedByBoth({ interval: '24h' });
    const refuse = world.onRequest;
    world.onRequest = (request) => {
      if (request.connection === 'neighbour/prod') throw errorOf('service-denied', 'revoked');
      refuse(request);
    };
    world.remove(owners);
    await world.clock.advance(minuteMs);
    expect(world.isActive).toBe(true);
  });
});

test('a dismissal is sent although a reader guards the scope', async () => {
  const world = worldWithReader();
  world.apply(policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } }));
  world.apply(neighboursPolicy({ alerts: [active] }));
  world.controller.start();
  await world.clock.advance(hourMs);
  expect([world.isActive, world.condition('owners', 'Ready')]).toEqual([false, 'True/Succeeded']);
});

test('of two opposite declarations Active prevails, and the other policy shows Flapping', async () => {
  const world = new TwoConnectionsWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(neighbour());
  world.apply(policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } }));
  world.apply(neighboursPolicy({ alerts: [active] }));
  world.controller.start();
  await world.clock.advance(hourMs);
  const sentBy = (key: string) => world.patches().filter((sent) => sent === key).length;
  expect([world.isActive, world.condition('owners', 'Stalled')]).toEqual([true, 'True/Flapping']);
  expect([sentBy('team/prod false'), sentBy('neighbour/prod true')]).toEqual([3, 3]);
  await world.clock.advance(6 * hourMs);
  expect([world.isActive, sentBy('team/prod false')]).toEqual([true, 6]);
});

test('a connection spends no request because of the policies of another one', async () => {
  const world = new TwoConnectionsWorld({ intervalMs: hourMs });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(neighbour());
  world.apply(policy());
  world.controller.start();
  for (let edit = 0; edit < 20; edit++) {
    world.apply(neighboursPolicy({ alerts: [active], interval: `${edit + 1}h` }));
    await world.clock.advance(minuteMs);
  }
  expect(world.lists('team/prod')).toBe(1);
});
