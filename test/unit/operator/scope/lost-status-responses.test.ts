// Status writes that the API server stores although their responses are lost.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';

/** `lose(count)` lets the responses of that many writes be lost. `isAway`: the policy cannot be read right after it either. */
function lossyWorld(isAway = false): { world: FakeWorld; lose: (count: number) => void } {
  let left = 0;
  let isLost = false;
  const world = new FakeWorld({
    intervalMs: minuteMs,
    fence: (cluster) => ({
      ...cluster,
      replacePolicyStatus: async (...call) => {
        const stored = await cluster.replacePolicyStatus(...call);
        isLost = left-- > 0;
        if (isLost) throw new KubeError('kube-unreachable', 'lost');
        return stored;
      },
      readPolicy: async (...call) => {
        if (isAway && isLost) throw new KubeError('kube-unreachable', 'away');
        return cluster.readPolicy(...call);
      },
    }),
  });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  const lose = (count: number) => {
    left = count;
  };
  return { world, lose };
}

const dismissing = policy({ spec: { alerts: [inactive({ incidents: ['a', 'b'] })] } });
const historyOf = (world: FakeWorld) => world.policies.get('team/owners')?.status?.history?.map(({ count }) => count);

test('the event of what a list found is emitted once', async () => {
  const { world, lose } = lossyWorld();
  world.apply(policy());
  world.controller.start();
  await world.clock.advance(minuteMs);
  lose(1);
  world.live.set(scope, [firing(['a', 'b'])]);
  await world.clock.advance(10 * minuteMs);
  expect(world.events).toEqual(['IncidentsFound owners']);
});

test('a correction is one event and counts once in the history when the response for its result is lost', async () => {
  const { world, lose } = lossyWorld();
  lose(1);
  world.apply(dismissing);
  world.controller.start();
  await world.clock.advance(10 * minuteMs);
  expect([world.count('patch'), world.events, historyOf(world)]).toEqual([1, ['AlertDeactivated owners'], [1]]);
});

test('a correction counts once in the history although the API server is away after it has stored it', async () => {
  const { world, lose } = lossyWorld(true);
  lose(1);
  world.apply(dismissing);
  world.controller.start();
  await world.clock.advance(10 * minuteMs);
  expect([world.count('patch'), historyOf(world)]).toEqual([1, [1]]);
});

test('a correction counts once though the service fails before it is known to be stored', async () => {
  const { world, lose } = lossyWorld();
  lose(1);
  world.apply(dismissing);
  world.controller.start();
  await world.clock.advance(100);
  world.onRequest = () => {
    throw new AlertsError('service-protocol', 'no JSON');
  };
  await world.clock.advance(10 * minuteMs);
  world.onRequest = () => undefined;
  await world.clock.advance(10 * minuteMs);
  expect([world.events, historyOf(world)]).toEqual([['AlertDeactivated owners', 'ProtocolError owners'], [1]]);
});

test('a policy that is made anew has no part in it', async () => {
  const { world, lose } = lossyWorld();
  lose(1);
  world.apply(dismissing);
  world.controller.start();
  await world.clock.advance(100);
  expect(world.events.splice(0)).toEqual(['AlertDeactivated owners']);
  const status = world.policies.get('team/owners')?.status;
  world.remove(dismissing);
  world.apply({ ...dismissing, metadata: { ...dismissing.metadata, uid: 'uid-anew' }, ...(status && { status }) });
  await world.clock.advance(10 * minuteMs);
  expect(world.events).toEqual([]);
});
