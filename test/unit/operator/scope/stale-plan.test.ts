// The checks in the tick of a deactivation's send: between the plan and the send it may have waited for the rate limiter, a permit,
// a token or the API server for minutes.
import { describe, expect, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import { StoppedError } from '../../../../src/lib/errors.ts';
import type { RoleAlertConnection } from '../../../../src/policy/resources.ts';
import { alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld, type SentRequest } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const second = 1000;
const minuteMs = 60 * second;
/** The longest time between the list and a deactivation that was planned from it. */
const freshMs = 5 * second;

const deactivations = ({ requests }: ControllerWorld) => requests.filter(({ isActive }) => isActive === false);
const ledger = (world: ControllerWorld) => world.connections.get('team/prod')?.status?.dismissals ?? [];
const hour = (world: ControllerWorld) => world.connections.get('team/prod')?.status?.recentDeactivations ?? [];

/** How old the scope's last list was when this was sent; endless for one that was never sent. */
function listAge({ requests }: ControllerWorld, sent: SentRequest | undefined): number {
  if (!sent) return Infinity;
  const before = requests.slice(0, requests.indexOf(sent));
  const list = before.findLast(({ kind, scope: listed }) => kind === 'list' && listed === sent.scope);
  return sent.atMs - (list?.atMs ?? -Infinity);
}

function limited(change: Partial<RoleAlertConnection['spec']['limits']>): RoleAlertConnection {
  const { limits } = connection().spec;
  return connection({ limits: { ...limits, ...change } });
}

describe('a deactivation goes out, on a fresh list,', () => {
  test.each([1, 2])(
    'where lists take ten seconds, %i at a time, and edits elsewhere never end',
    async (maxConcurrent) => {
      const world = new ControllerWorld({ maxConcurrent, intervalMs: minuteMs });
      world.duringList = () => sleep(world.clock, 10 * second);
      world.live.set(scope, [firing(['a'])]);
      world.apply(limited({ maxConcurrent }), policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } }));
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

  test.each([1, 4, 60])('where the rate limit is %i requests an hour', async (requestsPerHour) => {
    const limits = { requestsPerHour, burst: 2 };
    const world = new ControllerWorld({ rateLimits: limits });
    world.live.set(scope, [firing(['a']), firing(['a'], { name: 'Another' })]);
    world.apply(limited(limits));
    const alerts = [inactive({ maxIncidents: 5 }), { ...inactive({ maxIncidents: 5 }), name: 'Another' }];
    world.apply(policy({ spec: { alerts } }));
    await world.start(24 * 60 * minuteMs);
    const sent = deactivations(world);
    expect(new Set(sent.map(({ alert }) => alert))).toEqual(new Set([alertName, 'Another']));
    for (const each of sent) expect(listAge(world, each)).toBeLessThanOrEqual(freshMs);
  });
});

describe('while a deactivation waits, one request at a time may be in flight, and', () => {
  const elsewhere = 'subscriptions/b';

  function besideDrift(world: ControllerWorld): ControllerWorld {
    world.live.set(scope, [firing(['a'])]);
    world.live.set(elsewhere, [firing([])]);
    world.apply(
      limited({ maxConcurrent: 1 }),
      policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } }),
      policy({ name: 'elsewhere', spec: { scope: elsewhere } }),
    );
    return world;
  }

  async function edit(world: ControllerWorld): Promise<void> {
    world.turn(elsewhere, alertName, false);
    const metadata = { generation: 2 };
    world.apply(policy({ name: 'elsewhere', spec: { scope: elsewhere, interval: '20m' }, metadata }));
    await world.clock.advance(10 * second);
  }

  test('the API server does not answer, drift elsewhere is corrected', async () => {
    const world = besideDrift(
      new ControllerWorld({
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
    await world.start(10 * second);
    expect(deactivations(world)).toEqual([]);
    await edit(world);
    expect(world.live.get(elsewhere)?.[0]?.isActive).toBe(true);
  });

  test('its list has become longer than the requests that it reserved, an edit elsewhere is served', async () => {
    const world = besideDrift(
      new ControllerWorld({ maxConcurrent: 1, rateLimits: { requestsPerHour: 600, burst: 20 } }),
    );
    world.duringList = () => {
      world.pagesOf = (listed) => (listed === scope ? 40 : 1);
      return world.count('list') <= 2 ? sleep(world.clock, 6 * second) : Promise.resolve();
    };
    await world.start(minuteMs);
    await edit(world);
    expect(world.policies.get('team/elsewhere')?.status?.observedGeneration).toBe(2);
  });
});

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
