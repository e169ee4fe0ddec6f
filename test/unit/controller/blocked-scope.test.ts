// A scope that the open circuit breaker blocks is on the list of those that wait in the same tick, whatever else happens then.
import { expect, it } from 'vitest';

import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import { alert, connection, minuteMs, policy } from '../../support/builders/objects.ts';
import { FakeWorld } from '../../support/rigs/fake-world.ts';

const scopes = [0, 1, 2, 3, 4, 5, 6, 7];

/** Two connections; all but one scope are reconciled every 15 minutes, that one every six hours. */
function fleet(): FakeWorld {
  const world = new FakeWorld({ intervalMs: 15 * minuteMs });
  world.apply(connection());
  world.apply({ ...connection(), metadata: { ...connection().metadata, name: 'other', uid: 'uid-other' } });
  for (const index of scopes) {
    const scope = `subscriptions/${index}`;
    world.live.set(scope, [alert()]);
    world.apply(policy({ name: `owners-${index}`, spec: { scope, interval: index === 1 ? '6h' : '15m' } }));
  }
  world.apply(ofOther(1));
  world.controller.start();
  return world;
}

function ofOther(generation: number) {
  const connectionRef = { kind: 'RoleAlertConnection', name: 'other' } as const;
  return policy({ name: 'others', spec: { scope: 'subscriptions/1', connectionRef }, metadata: { generation } });
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
    world.onRequest = (request) => {
      if (isAway && request.connection === 'team/prod')
        throw new AlertsError('service-unreachable', 'as the test wants');
    };
    for (let second = 0; second < 3600 && world.connectionReady() !== 'False/CircuitOpen'; second++) {
      await world.clock.advance(1000);
    }
    expect(world.connectionReady()).toBe('False/CircuitOpen');
    isAway = false;
    const list = Promise.withResolvers<void>();
    world.duringList = () => list.promise;
    world.apply(
      policy({ name: 'owners-0', spec: { scope: 'subscriptions/0', interval: '15m' }, metadata: { generation: 2 } }),
    );
    await microtasks(50);
    world.duringList = async () => undefined;
    const fromMs = world.clock.monotonic();
    list.resolve();
    await microtasks(ticks);
    world.apply(ofOther(2));
    await world.clock.advance(minuteMs);
    const seen = world.requests.filter(
      ({ connection: key, scope }) => key === 'team/prod' && scope === 'subscriptions/1',
    );
    expect(seen.some(({ atMs }) => atMs >= fromMs)).toBe(true);
  },
);
