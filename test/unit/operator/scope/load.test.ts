// Many scopes, a small rate limit, and a user who edits a policy meanwhile: the real rate limiter, work queues and runtimes in virtual
// time.
import { describe, expect, it } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { sleep } from '../../../../src/lib/clock.ts';
import type { Condition } from '../../../../src/policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation } from '../../../../src/policy/resources.ts';
import { active, alert, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

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
async function restarted(scopes: number, rateLimits: typeof perSecond, isActive = false): Promise<FakeWorld> {
  const world = new FakeWorld({ rateLimits });
  world.apply(connection());
  for (let index = 0; index < scopes; index++) {
    world.live.set(scopeOf(index), [alert({ isActive })]);
    world.apply(policyAt(index));
  }
  world.controller.start();
  await world.clock.advance(20_000);
  return world;
}

/** A scope on which the reconcile has come so far and waits for the rate limiter now. */
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
    ['whose reconcile has not begun', perSecond, false, (): number => 900],
    ['whose reconcile waits for its first list', perSecond, false, (world: FakeWorld) => scopeThatWaits(world, 0)],
    [
      'whose reconcile waits for minutes for its first list',
      slow,
      true,
      (world: FakeWorld) => scopeThatWaits(world, 0),
    ],
    [
      'whose reconcile waits for minutes to send its PATCH',
      slow,
      false,
      (world: FakeWorld) => scopeThatWaits(world, 1),
    ],
    ['whose reconcile has not begun, with a small burst', { ...perSecond, burst: 6 }, false, (): number => 900],
  ] as const)('is served within two seconds on a scope %s', async (_, rateLimits, isActive, choose) => {
    const world = await restarted(1000, rateLimits, isActive);
    expect(await edited(world, choose(world))).toEqual(served);
  });
});

it('a stop does not wait for the rate limiter', async () => {
  const world = await restarted(100, slow);
  let isStopped = false;
  void world.controller.stop().then(() => (isStopped = true));
  await world.clock.advance(0);
  expect(isStopped).toBe(true);
});

it('a restart stays inside the rate limit, to the request', async () => {
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

it('no scope starves when the demand exceeds the rate limiter: the oldest goes first', async () => {
  const world = new FakeWorld({ rateLimits: { requestsPerHour: 60, burst: 2 }, intervalMs: minuteMs });
  world.apply(connection());
  for (let index = 0; index < 30; index++) {
    world.live.set(scopeOf(index), [alert()]);
    world.apply(policy({ name: `p${index}`, spec: { scope: scopeOf(index), interval: '1m' } }));
  }
  world.controller.start();
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

it('an edit does not wait for the rest of a batch on its scope', async () => {
  const world = new FakeWorld({ rateLimits: perSecond });
  const drifted = Array.from({ length: 8 }, (_, index) => alert({ name: `Alert${index}`, isActive: false }));
  const guard = { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } as const;
  world.live.set(scopeOf(0), drifted);
  world.apply(connection());
  world.apply(policy({ spec: { ...guard, scope: scopeOf(0) } }));
  world.duringPatch = () => sleep(world.clock, 4000);
  world.controller.start();
  await world.clock.advance(1000);
  world.apply(policy({ spec: { ...guard, scope: scopeOf(0), interval: '20m' }, metadata: { generation: 2 } }));
  await world.clock.advance(5000);
  // The PATCH in flight, its proof, and the list for the edit.
  expect(world.requests.map(({ kind }) => kind)).toEqual(['list', 'patch', 'list', 'list', 'patch']);
  await world.clock.advance(minuteMs);
  expect(world.live.get(scopeOf(0))?.every(({ isActive }) => isActive)).toBe(true);
});

describe.each([20, 400])('beside a guard over %i drifted alerts, with the default limits,', (count) => {
  const other = 'subscriptions/other';
  const dismissed = 'subscriptions/dismissed';
  const endMs = 3 * minuteMs;

  /** The guard is applied after two minutes; the dismissal ends after three. */
  async function guarded(): Promise<FakeWorld> {
    const world = new FakeWorld({ rateLimits: perSecond });
    const drifted = Array.from({ length: count }, (_, index) => alert({ name: `Alert${index}`, isActive: false }));
    world.live.set('subscriptions/a', drifted);
    world.live.set(other, [alert()]);
    world.live.set(dismissed, [firing(['a'], { isActive: false })]);
    const until = new Date(world.clock.now() + endMs).toISOString();
    const entry = { scope: dismissed, alert: alert().name, policy: 'team/dismissed', since: '2025-12-31T00:00:00Z' };
    world.apply({ ...connection(), status: { observedGeneration: 1, dismissals: [entry] } });
    world.apply(policy({ name: 'dismissed', spec: { scope: dismissed, alerts: [inactive({ until })] } }));
    world.apply(policy({ name: 'other', spec: { scope: other } }));
    world.controller.start();
    await world.clock.advance(2 * minuteMs);
    world.apply(policy({ name: 'guard', spec: { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } }));
    return world;
  }

  it('an edit is served within ten seconds, at any moment', async () => {
    const world = await guarded();
    for (let generation = 2; generation < 20; generation++) {
      await world.clock.advance(7300);
      world.apply(policy({ name: 'other', spec: { scope: other, interval: '16m' }, metadata: { generation } }));
      await world.clock.advance(10_000);
      expect(world.policies.get('team/other')?.status?.observedGeneration).toBe(generation);
    }
  });

  it('a dismissal ends within 15 s of its time', async () => {
    const world = await guarded();
    await world.clock.advance(5 * minuteMs);
    const activation = world.requests.find(({ scope, kind }) => scope === dismissed && kind === 'patch');
    expect(activation?.atMs).toBeGreaterThanOrEqual(endMs);
    expect(activation?.atMs).toBeLessThanOrEqual(endMs + 15_000);
  });

  it('the guard gets its alerts active in the time that the rate limiter takes, and few statuses are written', async () => {
    const world = await guarded();
    const writesBefore = world.policies.writes;
    const requestsBefore = world.requests.length;
    await world.clock.advance(12 * minuteMs);
    expect(world.live.get('subscriptions/a')?.every(({ isActive }) => isActive)).toBe(true);
    expect(world.condition('guard', 'Ready')).toBe('True/Succeeded');
    // A PATCH for each, and two lists for every sixteen.
    expect(world.requests.length - requestsBefore).toBeLessThanOrEqual(count + 2 * Math.ceil(count / 16) + 10);
    // One for each part.
    expect(world.policies.writes - writesBefore).toBeLessThanOrEqual(Math.ceil(count / 16) + 2);
  });
});

describe.each([1, 4])('beside 400 ended dismissals of one scope, with %i requests at a time,', (maxConcurrent) => {
  const ended = 'subscriptions/ended';

  /** Nothing declares the dismissals any more; eight scopes have an interval of a minute. */
  async function beginning(): Promise<FakeWorld> {
    const world = new FakeWorld({ rateLimits: perSecond, maxConcurrent });
    const names = Array.from({ length: 400 }, (_, index) => `Alert${index}`);
    world.live.set(
      ended,
      names.map((name) => alert({ name, isActive: false })),
    );
    const dismissals = names.map((name) => ({
      scope: ended,
      alert: name,
      policy: 'team/gone',
      since: '2025-12-31T00:00:00Z',
    }));
    const object = connection({ limits: { ...connection().spec.limits, maxConcurrent } });
    world.apply({ ...object, status: { observedGeneration: 1, dismissals } });
    for (let index = 0; index < 8; index++) {
      world.live.set(scopeOf(index), [alert()]);
      world.apply(policyAt(index, { interval: '1m' }));
    }
    world.controller.start();
    await world.clock.advance(20_000);
    return world;
  }

  it('every other scope has its turn', async () => {
    const world = await beginning();
    await world.clock.advance(7 * minuteMs);
    expect(world.count('patch')).toBeGreaterThan(300);
    for (let index = 0; index < 8; index++) {
      const times = world.requests.filter(({ scope }) => scope === scopeOf(index)).map(({ atMs }) => atMs);
      const gaps = times.map((atMs, place) => atMs - (times[place - 1] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * minuteMs);
    }
  });

  it('an edit is served within three seconds, at any moment', async () => {
    const world = await beginning();
    for (let generation = 2; generation < 40; generation++) {
      await world.clock.advance(4700);
      world.apply(policyAt(0, { generation, interval: '1m' }));
      await world.clock.advance(3000);
      expect(world.policies.get('team/p0')?.status?.observedGeneration).toBe(generation);
    }
    expect(world.live.get(ended)?.some(({ isActive }) => !isActive)).toBe(true);
  });
});

it('a dismissal whose first PATCH fails ends within a minute, beside 400 drifted alerts of its scope', async () => {
  const world = new FakeWorld({ rateLimits: perSecond });
  const [dismissed, first] = [firing(['a']), 'subscriptions/a'];
  const others = Array.from({ length: 400 }, (_, index) => alert({ name: `Alert${index}` }));
  const until = new Date(world.clock.now() + 60 * minuteMs).toISOString();
  world.live.set(first, [dismissed, ...others]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [inactive({ until })], unlisted: { state: 'Active', minSeverity: 'Low' } } }));
  world.controller.start();
  await world.clock.advance(59 * minuteMs);
  expect(world.live.get(first)?.[0]?.isActive).toBe(false);
  for (const { name } of others) world.turn(first, name, false);
  let failures = 0;
  world.onRequest = ({ alert: name }) => {
    if (name === dismissed.name && failures++ === 0) throw new AlertsError('service-unreachable', 'no answer');
  };
  await world.clock.advance(2 * minuteMs);
  expect([failures, world.live.get(first)?.[0]?.isActive]).toEqual([2, true]);
});

describe('the first round of a new leader', () => {
  const drifted: Condition = {
    type: 'InSync',
    status: 'False',
    reason: 'Drifted',
    message: 'Drifted.',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  it.each([
    ['whose status shows drift', { conditions: [drifted] }, {}],
    ['with a request that no status answers', { lastHandledReconcileAt: 'then' }, { [requestedAtAnnotation]: 'now' }],
  ])('begins with the scope %s', async (_which, status, annotations) => {
    const world = new FakeWorld({ rateLimits: { requestsPerHour: 60, burst: 1 } });
    world.apply(connection());
    for (let index = 0; index < 20; index++) {
      world.live.set(scopeOf(index), [alert()]);
      const present = policyAt(index);
      const metadata = { ...present.metadata, ...(index === 15 && { annotations }) };
      world.apply({
        ...present,
        metadata,
        ...(index === 15 && { status: { observedGeneration: 1, conditions: [], ...status } }),
      });
    }
    world.controller.start();
    await world.clock.advance(1000);
    expect(world.requests[0]?.scope).toBe(scopeOf(15));
  });

  it('has no order of its own once the request is answered', async () => {
    const world = new FakeWorld({ rateLimits: { requestsPerHour: 60, burst: 1 } });
    world.apply(connection());
    for (const index of [0, 1]) {
      world.live.set(scopeOf(index), [alert()]);
      const answered = index === 1 && { annotations: { [requestedAtAnnotation]: 'now' } };
      const present = policyAt(index);
      const status = { observedGeneration: 1, conditions: [], lastHandledReconcileAt: 'now' };
      world.apply({ ...present, metadata: { ...present.metadata, ...answered }, status });
    }
    world.controller.start();
    await world.clock.advance(1000);
    expect(world.requests[0]?.scope).toBe(scopeOf(0));
  });
});
