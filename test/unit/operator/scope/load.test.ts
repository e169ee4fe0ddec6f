// Many scopes, a small rate limit, a slow API server, and a user who edits a policy meanwhile: the real rate limiter, work queues and runtimes
// in virtual time.
import { describe, expect, it, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import type { Condition } from '../../../../src/policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation, type RoleAlertConnection } from '../../../../src/policy/resources.ts';
import {
  accessEntry,
  active,
  alert,
  alertName,
  clusterConnection,
  connection,
  firing,
  inactive,
  minuteMs,
  namespace,
  policy,
  throughCluster,
} from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const perSecond = { requestsPerHour: 3600, burst: 20 };

const scopeOf = (index: number) => `subscriptions/${index}`;

const policyAt = (index: number) =>
  policy({ name: `p${index}`, spec: { scope: scopeOf(index), interval: '1h', alerts: [active] } });

it('a stop does not wait for the rate limiter', async () => {
  const world = new ControllerWorld({ rateLimits: { requestsPerHour: 60, burst: 20 } });
  world.apply(connection());
  for (let index = 0; index < 100; index++) {
    world.live.set(scopeOf(index), [alert({ isActive: false })]);
    world.apply(policyAt(index));
  }
  await world.start(20_000);
  let isStopped = false;
  void world.controller.stop().then(() => (isStopped = true));
  await world.clock.advance(0);
  expect(isStopped).toBe(true);
});

it('an edit does not wait for the rest of a batch on its scope', async () => {
  const world = new ControllerWorld({ rateLimits: perSecond });
  const drifted = Array.from({ length: 8 }, (_, index) => alert({ name: `Alert${index}`, isActive: false }));
  const guard = { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } as const;
  world.live.set(scopeOf(0), drifted);
  world.apply(connection(), policy({ spec: { ...guard, scope: scopeOf(0) } }));
  world.duringPatch = () => sleep(world.clock, 4000);
  await world.start(1000);
  world.apply(policy({ spec: { ...guard, scope: scopeOf(0), interval: '20m' }, metadata: { generation: 2 } }));
  await world.clock.advance(5000);
  // The PATCH in flight, its proof, and the list for the edit.
  expect(world.requests.map(({ kind }) => kind)).toEqual(['list', 'patch', 'list', 'list', 'patch']);
  await world.clock.advance(minuteMs);
  expect(world.live.get(scopeOf(0))?.every(({ isActive }) => isActive)).toBe(true);
});

describe('beside a guard over 400 drifted alerts, with the default limits,', () => {
  const count = 400;
  const other = 'subscriptions/other';
  const dismissed = 'subscriptions/dismissed';
  const endMs = 3 * minuteMs;

  /** The guard is applied after two minutes; the dismissal ends after three. */
  async function guarded(): Promise<ControllerWorld> {
    const world = new ControllerWorld({ rateLimits: perSecond });
    const drifted = Array.from({ length: count }, (_, index) => alert({ name: `Alert${index}`, isActive: false }));
    world.live.set('subscriptions/a', drifted);
    world.live.set(other, [alert()]);
    world.live.set(dismissed, [firing(['a'], { isActive: false })]);
    const until = new Date(world.clock.now() + endMs).toISOString();
    const entry = { scope: dismissed, alert: alert().name, policy: 'team/dismissed', since: '2025-12-31T00:00:00Z' };
    world.apply(
      { ...connection(), status: { observedGeneration: 1, dismissals: [entry] } },
      policy({ name: 'dismissed', spec: { scope: dismissed, alerts: [inactive({ until })] } }),
      policy({ name: 'other', spec: { scope: other } }),
    );
    await world.start(2 * minuteMs);
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
});

describe('the first round of a new leader begins', () => {
  const drifted: Condition = {
    type: 'InSync',
    status: 'False',
    reason: 'Drifted',
    message: 'Drifted.',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const now = { [requestedAtAnnotation]: 'now' };

  it.each([
    ['with the scope whose status shows drift', { conditions: [drifted] }, {}, 15],
    ['with the scope that has a request that no status answers', { lastHandledReconcileAt: 'then' }, now, 15],
    ['anywhere once the request is answered', { lastHandledReconcileAt: 'now' }, now, 0],
  ])('%s', async (_, status, annotations, first) => {
    const world = new ControllerWorld({ rateLimits: { requestsPerHour: 60, burst: 1 } });
    world.apply(connection());
    for (let index = 0; index < 20; index++) {
      const { metadata, ...rest } = policyAt(index);
      const decided = { observedGeneration: 1, conditions: [] };
      world.live.set(scopeOf(index), [alert()]);
      if (index === 15)
        world.apply({ ...rest, metadata: { ...metadata, annotations }, status: { ...decided, ...status } });
      else world.apply({ ...rest, metadata, status: decided });
    }
    await world.start(1000);
    expect(world.requests[0]?.scope).toBe(scopeOf(first));
  });
});

test('a dismissal ends within a minute beside 300 policies of a tenant of its connection, one of which changes every 250 ms', async () => {
  const scope = 'subscriptions/a';
  const rateLimits = { requestsPerHour: 7200, burst: 100 };
  const [endsAfterMs, policies, everyMs] = [60 * minuteMs, 300, 250];
  const world = new ControllerWorld({ intervalMs: 15 * minuteMs, rateLimits, maxConcurrent: 4 });
  const limits = { ...clusterConnection().spec.limits, ...rateLimits };
  world.applyNamespace(namespace());
  world.applyNamespace(namespace(undefined, { name: 'neighbour', uid: 'uid-neighbour' }));
  world.apply(clusterConnection({ access: [accessEntry({ scopes: ['subscriptions'] })], limits }));
  const until = new Date(world.clock.now() + endsAfterMs).toISOString();
  world.live.set(scope, [alert()]);
  world.apply(policy({ spec: { connectionRef: throughCluster, alerts: [inactive({ until })] } }));
  for (let index = 0; index < policies; index++) {
    const [name, theirs] = [`n${index}`, `subscriptions/n${index}`];
    world.live.set(theirs, [alert()]);
    const metadata = { namespace: 'neighbour', uid: `uid-${name}` };
    world.apply(policy({ name, metadata, spec: { connectionRef: throughCluster, scope: theirs } }));
  }
  const activatedMs: number[] = [];
  world.onRequest = (request) => {
    if (request.kind === 'patch' && request.isActive && request.scope === scope) activatedMs.push(request.atMs);
  };
  await world.start(endsAfterMs - 10 * minuteMs);
  expect(world.live.get(scope)).toMatchObject([{ name: alertName, isActive: false }]);
  for (let turn = 0; activatedMs.length === 0 && turn * everyMs < endsAfterMs; turn++) {
    const edited = world.policies.get(`neighbour/n${turn % policies}`);
    if (!edited) throw new Error('The policy of the neighbour is gone.');
    world.apply({ ...edited, metadata: { ...edited.metadata, generation: edited.metadata.generation + 1 } });
    await world.clock.advance(everyMs);
  }
  const lateMs = (activatedMs[0] ?? Infinity) - endsAfterMs;
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(lateMs).toBeLessThan(minuteMs);
});

test.each<readonly [string, Partial<RoleAlertConnection['spec']>]>([
  ['endpoint', { endpoint: { ...connection().spec.endpoint, baseURL: 'https://elsewhere.example.net' } }],
  ['credential', { auth: { tokenSecretRef: { name: 'other', key: 'token' } } }],
])('a list that waits for the rate limiter is not sent with the old %s of its connection', async (_, spec) => {
  const world = new ControllerWorld({ rateLimits: { requestsPerHour: 60, burst: 2 } });
  world.apply(connection(), policy({ name: 'resting', spec: { scope: 'subscriptions/resting', suspend: true } }));
  for (let index = 0; index < 4; index++) {
    world.live.set(scopeOf(index), [alert()]);
    world.apply(policyAt(index));
  }
  await world.start(1000);
  const before = world.requests.length;
  world.apply({ ...connection(spec), metadata: { ...connection().metadata, generation: 2 } });
  await world.clock.advance(30 * minuteMs);
  const later = world.requests.slice(before);
  expect(new Set(later.map(({ generation }) => generation))).toEqual(new Set([2]));
  expect(new Set(later.map(({ scope }) => scope)).size).toBe(4);
});

test('a thousand policies of one connection keep no ledger entry of another one waiting for the sockets of the API server', async () => {
  const [own, theirs] = ['subscriptions/a', 'subscriptions/theirs'];
  const waiting: (() => void)[] = [];
  let busy = 0;
  const turn = async () => {
    if (busy >= 4) await new Promise<void>((resolve) => waiting.push(resolve));
    busy++;
    await sleep(world.clock, 20);
    busy--;
    waiting.shift()?.();
  };
  const world: ControllerWorld = new ControllerWorld({
    fence: (cluster) => ({
      ...cluster,
      replacePolicyStatus: (...call) => turn().then(() => cluster.replacePolicyStatus(...call)),
      replaceConnectionStatus: (...call) => turn().then(() => cluster.replaceConnectionStatus(...call)),
    }),
  });
  const neighbours = <T extends { metadata: object }>(object: T, uid: string): T => ({
    ...object,
    metadata: { ...object.metadata, namespace: 'neighbour', uid },
  });
  world.live.set(own, [firing(['a'])]).set(theirs, [firing(['a'])]);
  world.apply(connection(), policy(), neighbours(connection(), 'uid-neighbour'));
  const one = (at: number) => neighbours(policy({ name: `theirs-${at}`, spec: { scope: theirs } }), `uid-${at}`);
  for (let at = 0; at < 1000; at++) world.apply(one(at));
  await world.start(minuteMs);
  // Everything of the neighbour is written again.
  world.live.set(theirs, [firing(['a', 'b'])]);
  world.apply({ ...one(0), metadata: { ...one(0).metadata, generation: 2 } });
  await world.clock.advance(40);
  world.apply(policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] }, metadata: { generation: 2 } }));
  await world.clock.advance(500);
  expect(world.requests.filter(({ kind }) => kind === 'patch')).toMatchObject([
    { connection: 'team/prod', isActive: false },
  ]);
});

test('an API server that does not answer is asked for a few statuses only, however many policies there are', async () => {
  let tries = 0;
  const world: ControllerWorld = new ControllerWorld({
    fence: (cluster) => ({
      ...cluster,
      async replacePolicyStatus() {
        tries++;
        await sleep(world.clock, 30_000);
        throw new KubeError('kube-unreachable', 'made to fail');
      },
    }),
  });
  world.live.set('subscriptions/a', [firing(['a'])]);
  world.apply(connection());
  for (let at = 0; at < 100; at++) world.apply(policy({ name: `owners-${at}` }));
  await world.start(31_000);
  expect([world.results, tries]).toEqual([['error'], 4]);
});
