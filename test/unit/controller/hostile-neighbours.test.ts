// Policies that another tenant writes, through a connection of its own to the same service, to disturb the policies of the team.
import { describe, expect, test } from 'vitest';

import { errorOf } from '../../support/builders/errors.ts';
import { active, alertName, connection, firing, inactive, policy } from '../../support/builders/objects.ts';
import { neighbour, neighboursPolicy, NeighboursWorld as World, scope } from '../../support/rigs/neighbours-world.ts';

const minuteMs = 60_000;

function worldWith(...theirs: readonly Parameters<World['apply']>[0][]): World {
  const world = new World();
  world.live.set(scope, [firing(['a'], { isActive: false })]);
  for (const object of [connection(), policy({ spec: { alerts: [active] } }), neighbour(), ...theirs]) {
    world.apply(object);
  }
  return world;
}

const after = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

describe('a connection without a credential', () => {
  test('causes no lists of the team by dismissals or suspensions that end every second', async () => {
    const ends = Array.from({ length: 200 }, (_, index) => after((index + 2) * 1000));
    const world = worldWith(
      ...ends.map((until, index) => neighboursPolicy({ alerts: [inactive({ until })] }, `dismissing-${index}`)),
      ...ends.map((suspendUntil, index) => neighboursPolicy({ suspend: true, suspendUntil }, `suspended-${index}`)),
    );
    world.failing.set('neighbour/prod', errorOf('credential-missing', 'made to fail', {}));
    world.controller.start();
    await world.clock.advance(4 * minuteMs);
    // One, and another that verifies the correction.
    expect(world.lists('team/prod')).toBe(2);
  });

  test('breaks no reconcile of the team by any number of dismissals', async () => {
    const alerts = Array.from({ length: 64 }, (_, index) => ({
      ...inactive({ until: '2030-01-01T00:00:00Z' }),
      name: `${alertName}${index}`,
    }));
    const world = worldWith(...Array.from({ length: 1500 }, (_, index) => neighboursPolicy({ alerts }, `p${index}`)));
    world.failing.set('neighbour/prod', errorOf('credential-missing', 'made to fail', {}));
    world.controller.start();
    await world.clock.advance(1000);
    expect(world.errors).toEqual([]);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
    expect(world.isActive).toBe(true);
  });
});
