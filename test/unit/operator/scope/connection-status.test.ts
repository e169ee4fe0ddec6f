// What the status of a connection says of which generation, and what becomes of one that is being deleted.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import type { RoleAlertConnection } from '../../../../src/policy/resources.ts';
import { active, alert, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const later = () => new Promise<never>(() => undefined);

/** `observedGeneration STATUS/REASON of GENERATION`. */
function shown(world: FakeWorld): string {
  const { status } = world.connections.get('team/prod') ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return `${status?.observedGeneration} ${ready?.status}/${ready?.reason} of ${ready?.observedGeneration}`;
}

async function connected(): Promise<FakeWorld> {
  const world = new FakeWorld();
  world.live.set(scope, [alert()]);
  world.apply(connection());
  world.apply(policy());
  world.controller.start();
  await world.clock.advance(1000);
  expect(shown(world)).toBe('1 True/Connected of 1');
  return world;
}

/** Another spec, with the status that is there. */
function edit(world: FakeWorld, generation: number): void {
  const now = world.connections.get('team/prod') ?? connection();
  world.apply({ ...now, metadata: { ...now.metadata, generation } });
}

describe('the status of a connection whose spec changed', () => {
  test('speaks of the old generation until the new one was tried', async () => {
    const world = await connected();
    world.duringList = later;
    edit(world, 2);
    await world.clock.advance(0);
    expect([world.count('list'), shown(world)]).toEqual([2, '1 True/Connected of 1']);
  });

  test('speaks of the new generation after its first response, though the health is the same', async () => {
    const world = await connected();
    edit(world, 2);
    await world.clock.advance(0);
    expect(shown(world)).toBe('2 True/Connected of 2');
  });

  test('speaks of the new generation after its first failure', async () => {
    const world = await connected();
    world.onRequest = () => {
      throw new AlertsError('endpoint-invalid', 'no such host');
    };
    edit(world, 2);
    await world.clock.advance(0);
    expect(shown(world)).toBe('2 False/InvalidEndpoint of 2');
  });

  test('hears no response to the old spec after one to the new', async () => {
    const world = await connected();
    const other = 'subscriptions/b';
    world.live.set(other, [alert()]);
    let answer = () => undefined as void;
    world.duringList = () => new Promise((resolve) => (answer = resolve));
    world.apply(policy({ name: 'other', spec: { scope: other } }));
    await world.clock.advance(0);
    const answerToOld = answer;
    world.onRequest = () => {
      throw new AlertsError('endpoint-invalid', 'no such host');
    };
    edit(world, 2);
    await world.clock.advance(0);
    expect(shown(world)).toBe('2 False/InvalidEndpoint of 2');
    answerToOld();
    await world.clock.advance(0);
    expect(shown(world)).toBe('2 False/InvalidEndpoint of 2');
  });
});

describe('a connection that is being deleted', () => {
  const terminating = () => {
    const now = connection();
    return { ...now, metadata: { ...now.metadata, generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  };
  const quiet = policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } });

  test('lists nothing, and causes no writes without end', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [firing(['a'])]);
    world.apply(terminating());
    world.apply(quiet);
    world.apply(policy({ name: 'other', spec: { alerts: [{ ...active, name: 'Other' }] } }));
    world.controller.start();
    await world.clock.advance(hourMs);
    expect(world.condition('owners', 'Stalled')).toBe('True/ConnectionDeleting');
    expect([world.count('patch'), world.count('list')]).toEqual([0, 0]);
    expect(world.connections.writes).toBeLessThan(10);
  });

  test('has what was deactivated through it activated at once', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(quiet);
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(world.live.get(scope)?.[0]?.isActive).toBe(false);
    const { status } = world.connections.get('team/prod') ?? {};
    world.apply({ ...terminating(), ...(status && { status }) });
    await world.clock.advance(0);
    expect(world.live.get(scope)?.[0]?.isActive).toBe(true);
  });
});

describe('the requests that a connection predicts', () => {
  const predicted = (world: FakeWorld) => world.connections.get('team/prod')?.status?.predictedRequestsPerHour;

  test('follow the number of pages without any edit', async () => {
    const world = new FakeWorld({ intervalMs: 15 * minuteMs });
    world.live.set(scope, [alert()]);
    world.apply(connection());
    world.apply(policy());
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(predicted(world)).toBe(4);
    world.pagesOf = () => 3;
    await world.clock.advance(20 * minuteMs);
    expect(predicted(world)).toBe(12);
  });

  test('are written once for many scopes whose pages are new', async () => {
    const world = new FakeWorld({ intervalMs: 15 * minuteMs });
    world.pagesOf = () => 2;
    world.apply(connection());
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    for (const name of names) {
      world.live.set(`subscriptions/${name}`, [alert()]);
      world.apply(policy({ name, spec: { scope: `subscriptions/${name}` } }));
    }
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(predicted(world)).toBe(160);
    expect(world.counted.filter((kind) => kind === 'connection').length).toBeLessThanOrEqual(3);
  });
});

describe('a first round', () => {
  /** A start with ten scopes of two pages. */
  function restarted(status?: RoleAlertConnection['status']): FakeWorld {
    const world = new FakeWorld({ intervalMs: 15 * minuteMs, rateLimits: { requestsPerHour: 3600, burst: 4 } });
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
  const firstRounds = (world: FakeWorld) => world.infos.filter((line) => line.startsWith('first round'));
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
  async function started(onRequest: FakeWorld['onRequest'], before?: FakeWorld): Promise<FakeWorld> {
    const world = new FakeWorld();
    world.onRequest = onRequest;
    world.live.set(scope, [alert()]);
    world.apply(before?.connections.get('team/prod') ?? connection());
    world.apply(before?.policies.get('team/owners') ?? policy());
    world.controller.start();
    await world.clock.advance(10 * minuteMs);
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
