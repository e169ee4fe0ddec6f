// A deactivation that waits between its entry and its send while the process stops, or the machine sleeps.
import { expect, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import { StoppedError } from '../../../../src/lib/errors.ts';
import { connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const second = 1000;
const minuteMs = 60 * second;
/** The longest time between the list and a deactivation that was planned from it. */
const freshMs = 5 * second;

const deactivations = ({ requests }: ControllerWorld) => requests.filter(({ isActive }) => isActive === false);
const ledger = (world: ControllerWorld) => world.connections.get('team/prod')?.status?.dismissals ?? [];
const hour = (world: ControllerWorld) => world.connections.get('team/prod')?.status?.recentDeactivations ?? [];

test('an entry that is taken back while the process stops is written as such before the stop ends', async () => {
  const world: ControllerWorld = new ControllerWorld({
    fence: (cluster) => ({
      ...cluster,
      async replaceConnectionStatus(object, status, signal) {
        await sleep(world.clock, 50, signal);
        if (signal?.aborted) throw new StoppedError('as the transport does it');
        return cluster.replaceConnectionStatus(object, status, signal);
      },
    }),
  });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection(), policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } }));
  world.beforePatch = () => sleep(world.clock, 2 * freshMs);
  await world.start(second);
  expect([ledger(world).length, hour(world).length]).toEqual([1, 1]);
  let isStopped = false;
  void world.controller.stop().then(() => (isStopped = true));
  await world.clock.advance(minuteMs);
  expect([isStopped, deactivations(world)]).toEqual([true, []]);
  expect([ledger(world), hour(world)]).toEqual([[], []]);
});

test('a deactivation is planned again after the machine slept, although its monotonic clock did not go on', async () => {
  const world = new ControllerWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection(), policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } }));
  let hasSlept = false;
  world.beforePatch = async (isActive) => {
    if (isActive || hasSlept) return;
    hasSlept = true;
    world.clock.stepWall(2 * 60 * minuteMs);
    // An incident that the dismissal does not name.
    world.live.set(scope, [firing(['a', 'b'])]);
  };
  await world.start(30 * second);
  expect([hasSlept, deactivations(world)]).toEqual([true, []]);
});
