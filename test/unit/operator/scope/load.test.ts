// Many scopes, a small rate limit and a slow API server: the real rate limiter, work queues and runtimes in virtual time.
import { describe, expect, it, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import type { Condition } from '../../../../src/policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation } from '../../../../src/policy/resources.ts';
import { active, alert, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
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
