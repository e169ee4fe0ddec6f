// Many scopes, a small budget, and somebody who edits a policy meanwhile: the real budget, lanes and sessions in virtual time.
import { describe, expect, it } from 'vitest';

import { FakeWorld } from '../../support/fake-world.ts';
import { active, alert, connection, policy } from '../../support/plan-input.ts';

const minuteMs = 60_000;
const perSecond = { requestsPerHour: 3600, burst: 20 };
const slow = { requestsPerHour: 60, burst: 20 };

const scopeOf = (index: number) => `subscriptions/${index}`;

function policyAt(index: number, change: { generation?: number; interval?: string } = {}) {
  const { generation = 1, interval = '1h' } = change;
  return policy({
    name: `p${index}`,
    spec: { scope: scopeOf(index), interval, alerts: [active] },
    metadata: { generation },
  });
}

/** A restart of many scopes, with drift everywhere unless said otherwise. */
async function restarted(scopes: number, budget: typeof perSecond, isActive = false): Promise<FakeWorld> {
  const world = new FakeWorld({ budget });
  world.apply(connection());
  for (let index = 0; index < scopes; index++) {
    world.live.set(scopeOf(index), [alert({ isActive })]);
    world.apply(policyAt(index));
  }
  world.operator.start();
  await world.clock.advance(20_000);
  return world;
}

/** A scope on which the pass has come so far and waits for the budget now. */
function scopeThatWaits(world: FakeWorld, afterRequests: number): number {
  const seen = (index: number) => world.requests.filter(({ scope }) => scope === scopeOf(index)).length;
  for (let index = 0; ; index++) if (seen(index) === afterRequests) return index;
}

async function edited(world: FakeWorld, index: number): Promise<{ generation: number; isActive: boolean | undefined }> {
  world.apply(policyAt(index, { generation: 2, interval: '20m' }));
  await world.clock.advance(2000);
  return {
    generation: world.policies.get(`team/p${index}`)?.status?.observedGeneration ?? -1,
    isActive: world.live.get(scopeOf(index))?.[0]?.isActive,
  };
}

describe('an edit during a restart of many scopes', () => {
  const served = { generation: 2, isActive: true };

  it.each([
    ['whose look has not begun', perSecond, false, (): number => 900],
    ['whose look waits for its first list', perSecond, false, (world: FakeWorld) => scopeThatWaits(world, 0)],
    ['whose look waits for minutes for its first list', slow, true, (world: FakeWorld) => scopeThatWaits(world, 0)],
    ['whose look waits for minutes to send its PATCH', slow, false, (world: FakeWorld) => scopeThatWaits(world, 1)],
    ['whose look has not begun, with a small burst', { ...perSecond, burst: 6 }, false, (): number => 900],
  ] as const)('is served within two seconds on a scope %s', async (_, budget, isActive, choose) => {
    const world = await restarted(1000, budget, isActive);
    expect(await edited(world, choose(world))).toEqual(served);
  });
});

it('a stop does not wait for the budget', async () => {
  const world = await restarted(100, slow);
  let isStopped = false;
  void world.operator.stop().then(() => (isStopped = true));
  await world.clock.advance(0);
  expect(isStopped).toBe(true);
});

it('a restart stays inside the budget, to the request', async () => {
  const world = await restarted(300, perSecond);
  await world.clock.advance(20 * minuteMs);
  const { requestsPerHour, burst } = perSecond;
  for (const [count, { atMs }] of world.requests.entries()) {
    expect(count + 1).toBeLessThanOrEqual(burst / 2 + (atMs * requestsPerHour) / 3_600_000 + 1e-6);
  }
  // Nothing of it was wasted: a list, a PATCH and a proof each.
  expect(world.requests).toHaveLength(900);
  expect([...world.live.values()].every(([only]) => only?.isActive)).toBe(true);
});

it('nobody starves when more is asked for than the budget gives: the oldest goes first', async () => {
  const world = new FakeWorld({ budget: { requestsPerHour: 60, burst: 2 }, intervalMs: minuteMs });
  world.apply(connection());
  for (let index = 0; index < 30; index++) {
    world.live.set(scopeOf(index), [alert()]);
    world.apply(policy({ name: `p${index}`, spec: { scope: scopeOf(index), interval: '1m' } }));
  }
  world.operator.start();
  await world.clock.advance(60 * 5 * minuteMs);
  const counts = Array.from(
    { length: 30 },
    (_, index) => world.requests.filter(({ scope }) => scope === scopeOf(index)).length,
  );
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(9);
});

it('a connection that changes lets a policy that is edited go before its scopes', async () => {
  const world = await restarted(1000, perSecond);
  const { spec, metadata } = connection();
  world.apply({ ...connection(), metadata: { ...metadata, generation: 2 }, spec: { ...spec, deactivation: 'Deny' } });
  await world.clock.advance(5000);
  expect(await edited(world, 950)).toEqual({ generation: 2, isActive: true });
});
