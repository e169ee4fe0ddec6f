// The status of a connection in time: its first round, and its health beside restarts.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import type { RoleAlertConnection } from '../../../../src/policy/resources.ts';
import { alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';

describe('a first round', () => {
  /** A start with ten scopes of two pages. */
  function restarted(status?: RoleAlertConnection['status']): ControllerWorld {
    const world = new ControllerWorld({ intervalMs: 15 * minuteMs, rateLimits: { requestsPerHour: 3600, burst: 4 } });
    world.pagesOf = () => 2;
    const limits = { ...connection().spec.limits, requestsPerHour: 60, burst: 4 };
    world.apply({ ...connection({ limits }), ...(status && { status }) });
    for (let index = 0; index < 10; index++) {
      const name = `p${index}`;
      world.live.set(`subscriptions/${index}`, [alert()]);
      world.apply(policy({ name, spec: { scope: `subscriptions/${index}` } }));
    }
    world.controller.start();
    return world;
  }
  const firstRounds = (world: ControllerWorld) => world.infos.filter((line) => line.startsWith('first round'));
  const fields = '"kind":"RoleAlertConnection","namespace":"team","name":"prod"';

  test('is logged when it begins, and ends when the service has answered for every scope', async () => {
    const world = restarted();
    await world.clock.advance(0);
    const begins = `first round begins {${fields},"scopes":10,"requestsPerHour":60}`;
    expect([firstRounds(world), world.rounds]).toEqual([[begins], []]);
    await world.clock.advance(minuteMs);
    expect(firstRounds(world)).toEqual([begins, `first round completed {${fields},"scopes":10}`]);
    expect(world.rounds).toEqual(['team/prod']);
    await world.clock.advance(15 * minuteMs);
    expect(firstRounds(world)).toHaveLength(2);
    expect(world.rounds).toEqual(['team/prod', 'team/prod']);
  });

  test('after a restart writes no status, though no pages are known before it', async () => {
    const world = restarted();
    await world.clock.advance(2 * minuteMs);
    const status = world.connections.get('team/prod')?.status;
    expect(status).toMatchObject({ predictedRequestsPerHour: 80 });
    expect(status?.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'Ready Connected',
      'Capacity BudgetTooSmall',
    ]);
    expect(world.events).toContain('BudgetTooSmall prod');
    const again = restarted(status);
    await again.clock.advance(2 * minuteMs);
    expect(again.connections.get('team/prod')?.status).toEqual(status);
    expect(again.counted).not.toContain('connection');
  });
});

describe('the health that a status shows', () => {
  const broken = () => {
    throw new AlertsError('service-denied', '401');
  };
  async function started(onRequest: ControllerWorld['onRequest'], before?: ControllerWorld): Promise<ControllerWorld> {
    const world = new ControllerWorld();
    world.onRequest = onRequest;
    world.live.set(scope, [alert()]);
    world.apply(before?.connections.get('team/prod') ?? connection(), before?.policies.get('team/owners') ?? policy());
    await world.start(10 * minuteMs);
    return world;
  }

  test('is not announced again after a restart, and its end is', async () => {
    const before = await started(broken);
    expect(before.events).toEqual(['Unauthorized prod']);
    expect((await started(broken, before)).events).toEqual([]);
    const repaired = await started(() => undefined, before);
    expect(repaired.events).toEqual(['ConnectionRestored prod']);
    expect((await started(() => undefined, repaired)).events).toEqual([]);
  });
});

test('no policy calls its connection ready before the service has answered', async () => {
  const world = new ControllerWorld();
  world.onRequest = ({ scope }) => {
    if (scope.endsWith('a')) throw new AlertsError('service-denied', '401');
    throw new AlertsError('service-unreachable', 'reset');
  };
  world.apply(connection(), policy(), policy({ name: 'other', spec: { scope: 'subscriptions/b' } }));
  await world.start(100);
  expect([world.condition('owners', 'ConnectionReady'), world.condition('other', 'ConnectionReady')]).not.toContain(
    'True/Connected',
  );
});
