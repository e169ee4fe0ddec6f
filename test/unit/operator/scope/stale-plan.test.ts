// The checks in the tick of a deactivation's send: between the plan and the send it may have waited for the rate limiter, a permit,
// a token or the API server for minutes.
import { describe, expect, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import { StoppedError } from '../../../../src/lib/errors.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { active, alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld, type SentRequest } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const second = 1000;
const minuteMs = 60 * second;
/** The longest time between the list and a deactivation that was planned from it. */
const freshMs = 5 * second;

const deactivations = ({ requests }: FakeWorld) => requests.filter(({ isActive }) => isActive === false);
const ledger = (world: FakeWorld) => world.connections.get('team/prod')?.status?.dismissals ?? [];
const hour = (world: FakeWorld) => world.connections.get('team/prod')?.status?.recentDeactivations ?? [];

/** How old the scope's last list was when this was sent; endless for one that was never sent. */
function listAge({ requests }: FakeWorld, sent: SentRequest | undefined): number {
  if (!sent) return Infinity;
  const before = requests.slice(0, requests.indexOf(sent));
  const list = before.findLast(({ kind, scope: listed }) => kind === 'list' && listed === sent.scope);
  return sent.atMs - (list?.atMs ?? -Infinity);
}

function limited(change: Partial<RoleAlertConnection['spec']['limits']>): RoleAlertConnection {
  const { limits } = connection().spec;
  return connection({ limits: { ...limits, ...change } });
}

function edited<T extends RoleAlertPolicy | RoleAlertConnection>(object: T, spec: Partial<T['spec']>): T {
  return { ...object, metadata: { ...object.metadata, generation: 2 }, spec: { ...object.spec, ...spec } };
}

describe('nothing is deactivated any more, and nothing stays in the ledger, when during the wait for a permit', () => {
  const quiet = policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } });
  const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const changes: readonly (readonly [string, (world: FakeWorld) => void])[] = [
    ['the policy is deleted', (world) => world.remove(quiet)],
    ['the policy is being deleted', (world) => world.apply({ ...quiet, metadata: { ...quiet.metadata, ...deleting } })],
    ['the policy wants it active', (world) => world.apply(edited(quiet, { alerts: [active] }))],
    ['the policy is suspended', (world) => world.apply(edited(quiet, { suspend: true }))],
    ['the policy only observes', (world) => world.apply(edited(quiet, { mode: 'Observe' }))],
    [
      'the policy is re-created under its name',
      (world) => world.apply({ ...quiet, metadata: { ...quiet.metadata, uid: 'another' } }),
    ],
    ['the grant is withdrawn', (world) => world.apply(edited(connection(), { deactivation: 'Deny' }))],
    ['the connection is deleted', (world) => world.remove(connection())],
    [
      'an older policy wants it active',
      (world) => world.apply(policy({ name: 'older', createdAt: '2025-01-01T00:00:00Z' })),
    ],
    ['this process may not write any more', (world) => (world.mayWrite = false)],
    ['the list turns old', (world) => world.clock.jump(2 * freshMs)],
  ];

  test.each(changes)('%s', async (_, change) => {
    const world = new FakeWorld();
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(quiet);
    let [waits, entries] = [0, 0];
    world.beforePatch = async (isActive) => {
      if (isActive || ++waits > 1) return;
      entries = ledger(world).length;
      // Only now: the API server itself did not have the news yet when it was asked.
      change(world);
    };
    world.controller.start();
    await world.clock.advance(0);
    expect([waits, entries]).toEqual([1, 1]);
    expect(deactivations(world)).toEqual([]);
    if (!world.connections.get('team/prod')) return;
    await world.clock.advance(500);
    expect([ledger(world), hour(world)]).toEqual([[], []]);
  });

  test('its `until` passes', async () => {
    const world = new FakeWorld();
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(policy({ spec: { alerts: [inactive({ until: new Date(world.clock.now() + 2000).toISOString() })] } }));
    world.beforePatch = () => sleep(world.clock, 3 * second);
    world.controller.start();
    await world.clock.advance(10 * minuteMs);
    expect(deactivations(world)).toEqual([]);
    expect([ledger(world), hour(world)]).toEqual([[], []]);
  });
});

test('an activation that nothing wants any more is not sent either', async () => {
  const world = new FakeWorld();
  world.live.set(scope, [firing([], { isActive: false })]);
  world.apply(connection());
  world.apply(policy());
  world.beforePatch = async () => {
    if (world.policies.get('team/owners')) world.remove(policy());
  };
  world.controller.start();
  await world.clock.advance(10 * minuteMs);
  expect(world.count('patch')).toBe(0);
});

test('after a long wait for the rate limiter the scope is listed and planned again', async () => {
  const limits = { requestsPerHour: 60, burst: 20 };
  const world = new FakeWorld({ intervalMs: 15 * minuteMs, rateLimits: limits });
  const names = Array.from({ length: 8 }, (_, index) => `Alert${index}`);
  const setIncidents = (ids: string[]) =>
    void world.live.set(
      scope,
      names.map((name) => firing(ids, { name })),
    );
  setIncidents(['a']);
  const startMs = world.clock.now();
  const untilMs = 6 * minuteMs;
  const until = new Date(startMs + untilMs).toISOString();
  const dismissals = names.map((name, index) => ({ ...inactive(index < 4 ? { until } : { incidents: ['a'] }), name }));
  world.apply(limited({ ...limits, deactivationsPerHour: 100 }));
  world.apply(policy({ spec: { alerts: dismissals } }));
  const beyondMs = 5 * minuteMs;
  world.controller.start();
  await world.clock.advance(beyondMs);
  expect(deactivations(world).at(-1)?.atMs).toBeGreaterThan(minuteMs);
  setIncidents(['a', 'new']);
  await world.clock.advance(60 * minuteMs);
  const sent = deactivations(world);
  expect(sent.length).toBeLessThan(names.length);
  for (const each of sent) {
    expect(each.atMs).toBeLessThan(names.indexOf(each.alert ?? '') < 4 ? untilMs : beyondMs);
    expect(listAge(world, each)).toBeLessThanOrEqual(freshMs);
  }
  expect(ledger(world)).toEqual([]);
});

describe('a deactivation goes out, on a fresh list,', () => {
  test.each([1, 2])(
    'where lists take ten seconds, %i at a time, and edits elsewhere never end',
    async (maxConcurrent) => {
      const world = new FakeWorld({ maxConcurrent, intervalMs: minuteMs });
      world.duringList = () => sleep(world.clock, 10 * second);
      world.live.set(scope, [firing(['a'])]);
      world.apply(limited({ maxConcurrent }));
      world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } }));
      world.controller.start();
      for (let generation = 1; generation <= 240; generation++) {
        const name = `other${generation % 8}`;
        world.apply(policy({ name, spec: { scope: `subscriptions/${name}` }, metadata: { generation } }));
        await world.clock.advance(5 * second);
      }
      expect(listAge(world, deactivations(world)[0])).toBeLessThanOrEqual(10 * second + freshMs);
      expect(world.live.get(scope)?.[0]?.isActive).toBe(false);
    },
  );

  test('where the API server takes ten seconds for everything', async () => {
    const world = new FakeWorld({
      fence: (cluster) => ({
        ...cluster,
        async readPolicy(...call) {
          await sleep(world.clock, 10 * second);
          return cluster.readPolicy(...call);
        },
        async replaceConnectionStatus(...call) {
          await sleep(world.clock, 10 * second);
          return cluster.replaceConnectionStatus(...call);
        },
      }),
    });
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } }));
    world.controller.start();
    await world.clock.advance(5 * minuteMs);
    expect(listAge(world, deactivations(world)[0])).toBeLessThanOrEqual(freshMs);
  });

  test.each([1, 4, 60])('where the rate limit is %i requests an hour', async (requestsPerHour) => {
    const limits = { requestsPerHour, burst: 2 };
    const world = new FakeWorld({ rateLimits: limits });
    world.live.set(scope, [firing(['a']), firing(['a'], { name: 'Another' })]);
    world.apply(limited(limits));
    const alerts = [inactive({ maxIncidents: 5 }), { ...inactive({ maxIncidents: 5 }), name: 'Another' }];
    world.apply(policy({ spec: { alerts } }));
    world.controller.start();
    await world.clock.advance(24 * 60 * minuteMs);
    const sent = deactivations(world);
    expect(new Set(sent.map(({ alert }) => alert))).toEqual(new Set([alertName, 'Another']));
    for (const each of sent) expect(listAge(world, each)).toBeLessThanOrEqual(freshMs);
  });
});

test('a list that took a minute itself, because its pages waited for the rate limiter, is made again', async () => {
  const world = new FakeWorld();
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } }));
  world.duringList = () => (world.count('list') === 1 ? sleep(world.clock, minuteMs) : Promise.resolve());
  world.controller.start();
  await world.clock.advance(2 * minuteMs);
  expect(listAge(world, deactivations(world)[0])).toBeLessThanOrEqual(freshMs);
});

describe('while a deactivation waits, one request at a time may be in flight, and', () => {
  const elsewhere = 'subscriptions/b';

  function besideDrift(world: FakeWorld): FakeWorld {
    world.live.set(scope, [firing(['a'])]);
    world.live.set(elsewhere, [firing([])]);
    world.apply(limited({ maxConcurrent: 1 }));
    world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } }));
    world.apply(policy({ name: 'elsewhere', spec: { scope: elsewhere } }));
    return world;
  }

  async function edit(world: FakeWorld): Promise<void> {
    world.turn(elsewhere, alertName, false);
    const metadata = { generation: 2 };
    world.apply(policy({ name: 'elsewhere', spec: { scope: elsewhere, interval: '20m' }, metadata }));
    await world.clock.advance(10 * second);
  }

  test('the API server does not answer, drift elsewhere is corrected', async () => {
    const world = besideDrift(
      new FakeWorld({
        maxConcurrent: 1,
        fence: (cluster) => ({
          ...cluster,
          async replaceConnectionStatus(...call) {
            await sleep(world.clock, minuteMs);
            return cluster.replaceConnectionStatus(...call);
          },
        }),
      }),
    );
    world.controller.start();
    await world.clock.advance(10 * second);
    expect(deactivations(world)).toEqual([]);
    await edit(world);
    expect(world.live.get(elsewhere)?.[0]?.isActive).toBe(true);
  });

  test('its list has become longer than the requests that it reserved, an edit elsewhere is served', async () => {
    const world = besideDrift(new FakeWorld({ maxConcurrent: 1, rateLimits: { requestsPerHour: 600, burst: 20 } }));
    world.duringList = () => {
      world.pagesOf = (listed) => (listed === scope ? 40 : 1);
      return world.count('list') <= 2 ? sleep(world.clock, 6 * second) : Promise.resolve();
    };
    world.controller.start();
    await world.clock.advance(minuteMs);
    await edit(world);
    expect(world.policies.get('team/elsewhere')?.status?.observedGeneration).toBe(2);
  });
});

test('a plan that never agrees with the API server is not made as fast as the service answers', async () => {
  const world = new FakeWorld();
  const quiet = policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(quiet);
  // The watch says nothing.
  world.serverPolicies = new Map([['team/owners', undefined]]);
  world.controller.start();
  await world.clock.advance(60 * minuteMs);
  expect(deactivations(world)).toEqual([]);
  expect(world.count('list')).toBeLessThan(200);
  expect(world.condition('owners', 'Reconciling')).toBe('True/Progressing');
  expect(ledger(world)).toEqual([]);
});

test('an entry that is taken back while the process stops is written as such before the stop ends', async () => {
  const world: FakeWorld = new FakeWorld({
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
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } }));
  world.beforePatch = () => sleep(world.clock, 2 * freshMs);
  world.controller.start();
  await world.clock.advance(second);
  expect([ledger(world).length, hour(world).length]).toEqual([1, 1]);
  let isStopped = false;
  void world.controller.stop().then(() => (isStopped = true));
  await world.clock.advance(minuteMs);
  expect([isStopped, deactivations(world)]).toEqual([true, []]);
  expect([ledger(world), hour(world)]).toEqual([[], []]);
});

test('a deactivation is planned again after the machine slept, although its monotonic clock did not go on', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } }));
  let hasSlept = false;
  world.beforePatch = async (isActive) => {
    if (isActive || hasSlept) return;
    hasSlept = true;
    world.clock.stepWall(2 * 60 * minuteMs);
    // An incident that the dismissal does not name.
    world.live.set(scope, [firing(['a', 'b'])]);
  };
  world.controller.start();
  await world.clock.advance(30 * second);
  expect([hasSlept, deactivations(world)]).toEqual([true, []]);
});

test('a deactivation that is outdated again and again, as with an older CRD, lists ever less', async () => {
  const world = new FakeWorld({
    intervalMs: 15 * minuteMs,
    fence: (cluster) => ({
      ...cluster,
      async replaceConnectionStatus(found, status, signal) {
        const kept = Object.entries(status).filter(([name]) => name !== 'recentDeactivations');
        return cluster.replaceConnectionStatus(found, Object.fromEntries(kept) as unknown as typeof status, signal);
      },
    }),
  });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } }));
  world.controller.start();
  await world.clock.advance(60 * minuteMs);
  const sinceMs = world.clock.monotonic();
  await world.clock.advance(60 * minuteMs);
  expect(world.count('list', sinceMs)).toBeLessThan(16);
  expect(deactivations(world)).toEqual([]);
});
