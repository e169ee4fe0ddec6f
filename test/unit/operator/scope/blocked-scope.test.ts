// A scope that the open circuit breaker blocks is on the list of those that wait in the same tick, whatever else happens then.
import { expect, it } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scopes = [0, 1, 2, 3, 4, 5, 6, 7];

const endMs = 50 * minuteMs;

/** All but one scope are reconciled every 15 minutes, that one when its suspension ends. */
function fleet(): FakeWorld {
  const world = new FakeWorld({ intervalMs: 15 * minuteMs });
  world.apply(connection());
  for (const index of scopes) {
    const scope = `subscriptions/${index}`;
    world.live.set(scope, [alert()]);
    const suspended = { suspend: true, suspendUntil: new Date(world.clock.now() + endMs).toISOString() };
    world.apply(policy({ name: `owners-${index}`, spec: { scope, interval: '15m', ...(index === 1 && suspended) } }));
  }
  world.controller.start();
  return world;
}

async function microtasks(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await Promise.resolve();
}

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'a scope that is blocked %i microtasks after the list that closes the circuit breaker began to end is requeued',
  async (ticks) => {
    const world = fleet();
    await world.clock.advance(1000);
    let isAway = true;
    world.onRequest = () => {
      if (isAway) throw new AlertsError('service-unreachable', 'as the test wants');
    };
    for (let second = 0; second < 3600 && world.connectionReady() !== 'False/CircuitOpen'; second++) {
      await world.clock.advance(1000);
    }
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    await world.clock.advance(endMs - 1000 - world.clock.monotonic());
    isAway = false;
    const list = Promise.withResolvers<void>();
    world.duringList = () => list.promise;
    world.apply(
      policy({ name: 'owners-0', spec: { scope: 'subscriptions/0', interval: '15m' }, metadata: { generation: 2 } }),
    );
    await microtasks(50);
    world.clock.jump(1000);
    world.duringList = async () => undefined;
    const fromMs = world.clock.monotonic();
    list.resolve();
    await microtasks(ticks);
    // The queue hands out what is due whenever something is added to it; this scope rests.
    world.apply(policy({ name: 'resting', spec: { scope: 'subscriptions/resting', suspend: true } }));
    await world.clock.advance(minuteMs);
    const seen = world.requests.filter(({ scope }) => scope === 'subscriptions/1');
    expect(seen.some(({ atMs }) => atMs >= fromMs)).toBe(true);
  },
);
