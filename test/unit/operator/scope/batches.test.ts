// What one reconcile sends: in which order, how much of it, ahead of whom, and what it lists before and after.
import { describe, expect, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import type { PolicyAlert } from '../../../../src/policy/generated/role-alert-policy.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import { alert, alertName, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld, type SentRequest } from '../../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const guard = { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } as const;
const names = (count: number) => Array.from({ length: count }, (_, index) => `Alert${index}`);
const drifted = (count: number) => names(count).map((name) => alert({ name, isActive: false }));
const error = (code: ErrorCode, facts = {}) => errorOf(code, 'made to fail', facts);

type Change = ConstructorParameters<typeof FakeWorld>[0];

function worldOf(change: Change = {}, object = policy({ spec: guard })): FakeWorld {
  const world = new FakeWorld(change);
  world.apply(connection());
  world.apply(object);
  return world;
}

async function startedWith(count: number): Promise<FakeWorld> {
  const world = worldOf();
  world.live.set(scope, drifted(count));
  world.controller.start();
  await world.clock.advance(0);
  return world;
}

/** Requests as kinds, with how many of the same kind follow each other. */
function runs(requests: readonly SentRequest[]): string[] {
  const found: { kind: string; count: number }[] = [];
  for (const { kind } of requests) {
    const last = found.at(-1);
    if (last?.kind === kind) last.count++;
    else found.push({ kind, count: 1 });
  }
  return found.map(({ kind, count }) => `${kind} ${count}`);
}

const priorities = (requests: readonly SentRequest[]) =>
  requests.map(({ kind, priority }) => `${kind} ${String(priority)}`);

/** A dismissal of one alert that ends after ten minutes, beside a guard over everything else. */
async function dismissedUntil(change: Change = {}): Promise<FakeWorld> {
  const world = new FakeWorld({ intervalMs: 60 * minuteMs, ...change });
  world.live.set(scope, [firing(['6f1c']), ...names(20).map((name) => alert({ name }))]);
  const until = new Date(world.clock.now() + 10 * minuteMs).toISOString();
  world.apply(connection());
  world.apply(policy({ spec: { ...guard, alerts: [inactive({ until })] } }));
  world.controller.start();
  await world.clock.advance(9 * minuteMs);
  world.requests.length = 0;
  return world;
}

describe('the requests of a reconcile', () => {
  test('give way to others, but for the list that proves what was sent', async () => {
    const world = await startedWith(1);
    expect(priorities(world.requests)).toEqual(['list low', 'patch low', 'list high']);
  });

  test('go first after an edit', async () => {
    const world = await startedWith(0);
    world.live.set(scope, drifted(1));
    world.requests.length = 0;
    world.apply(policy({ spec: guard, metadata: { generation: 2 } }));
    await world.clock.advance(0);
    expect(priorities(world.requests)).toEqual(['list high', 'patch high', 'list high']);
  });

  test('go first once it ends a dismissal, whatever else it corrects', async () => {
    const world = await dismissedUntil();
    world.turn(scope, 'Alert0', false);
    await world.clock.advance(minuteMs);
    expect(priorities(world.requests)).toEqual(['list low', 'patch high', 'patch high', 'list high']);
  });

  test('name the scope as the policy spells it', async () => {
    const world = worldOf({}, policy({ spec: { ...guard, scope: 'Subscriptions/A' } }));
    world.live.set('Subscriptions/A', drifted(1));
    world.controller.start();
    await world.clock.advance(0);
    expect(world.requests.map(({ scope: asked }) => asked)).toEqual(Array(3).fill('Subscriptions/A'));
  });
});

describe('one reconcile corrects', () => {
  test('sixteen of twenty alerts, and then the others', async () => {
    const world = await startedWith(20);
    expect(runs(world.requests)).toEqual(['list 1', 'patch 16', 'list 2', 'patch 4', 'list 1']);
  });

  test('what ends a dismissal first', async () => {
    const world = await dismissedUntil();
    for (const name of names(20)) world.turn(scope, name, false);
    await world.clock.advance(minuteMs);
    expect(runs(world.requests).slice(0, 3)).toEqual(['list 1', 'patch 16', 'list 2']);
    expect(world.requests[1]?.alert).toBe(alertName);
  });

  test('what is inactive first, and then one deactivation at a time', async () => {
    const quiet = names(20).map((name): PolicyAlert => ({ ...inactive({ incidents: ['6f1c'] }), name }));
    const world = new FakeWorld();
    world.live.set(scope, [
      ...names(20).map((name) => firing(['6f1c'], { name })),
      ...names(3).map((name) => alert({ name: `On${name}`, isActive: false })),
    ]);
    world.apply(connection({ limits: { ...connection().spec.limits, deactivationsPerHour: 20 } }));
    world.apply(policy({ spec: { ...guard, alerts: quiet } }));
    world.controller.start();
    await world.clock.advance(0);
    const deactivated = Array.from({ length: 20 }, () => ['list 2', 'patch 1']).flat();
    expect(runs(world.requests)).toEqual(['list 1', 'patch 3', ...deactivated, 'list 1']);
  });
});

describe('the rate limiter', () => {
  /** With half of the burst, and nothing more within the hour. Everything is an edit, for which nothing is held back. */
  async function editedWith(burst: number, object: ReturnType<typeof policy>): Promise<FakeWorld> {
    const world = new FakeWorld({ rateLimits: { requestsPerHour: 1, burst } });
    for (const each of ['b', 'c']) world.live.set(`subscriptions/${each}`, [alert()]);
    world.live.set(scope, [
      object.spec.alerts?.[0]?.state === 'Active' ? alert({ isActive: false }) : firing(['6f1c']),
    ]);
    world.apply(connection());
    world.controller.start();
    await world.clock.advance(0);
    world.apply(object);
    await world.clock.advance(0);
    return world;
  }

  test('serves the proof of a PATCH first', async () => {
    const world = await editedWith(6, policy());
    expect(runs(world.requests)).toEqual(['list 1', 'patch 1', 'list 1']);
  });

  test('gets back what a reconcile had taken and did not need', async () => {
    const world = await editedWith(10, policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } }));
    // Three of five: one more was granted for the list that a send that came late would have needed.
    expect(runs(world.requests)).toEqual(['list 1', 'patch 1', 'list 1']);
    for (const name of ['b', 'c']) world.apply(policy({ name, spec: { scope: `subscriptions/${name}` } }));
    await world.clock.advance(0);
    expect(world.requests.slice(3).map(({ scope: asked }) => asked)).toEqual(['subscriptions/b', 'subscriptions/c']);
  });
});

describe('deactivations that wait for the rate limiter', () => {
  /** Six of them, each with two lists at fifteen seconds a request, beside a scope that has nothing to correct. */
  async function slowly(): Promise<FakeWorld> {
    const quiet = names(6).map((name): PolicyAlert => ({ ...inactive({ incidents: ['6f1c'] }), name }));
    const world = new FakeWorld({ maxConcurrent: 1, rateLimits: { requestsPerHour: 240, burst: 2 } });
    world.live.set(
      scope,
      names(6).map((name) => firing(['6f1c'], { name })),
    );
    world.live.set('subscriptions/b', [alert()]);
    world.apply(connection({ limits: { ...connection().spec.limits, maxConcurrent: 1 } }));
    world.apply(policy({ spec: { alerts: quiet } }));
    world.apply(policy({ name: 'b', spec: { scope: 'subscriptions/b' } }));
    world.controller.start();
    await world.clock.advance(2 * minuteMs);
    return world;
  }

  test('keep no other scope waiting', async () => {
    const world = await slowly();
    expect(world.condition('b', 'Ready')).toBe('True/Succeeded');
  });

  test('are shown one by one', async () => {
    const world = await slowly();
    const rows = world.policies.get('team/owners')?.status?.alerts ?? [];
    expect(rows.filter(({ live }) => live === 'Inactive')).toHaveLength(world.count('patch'));
    expect(world.condition('owners', 'Reconciling')).toBe('True/Progressing');
  });
});

describe('the first list', () => {
  test('shows that the connection works, before anything is sent', async () => {
    const world = worldOf();
    world.live.set(scope, drifted(1));
    world.beforePatch = () => sleep(world.clock, 10_000);
    world.controller.start();
    await world.clock.advance(1000);
    expect([world.count('patch'), world.connectionReady()]).toEqual([0, 'True/Connected']);
    expect(world.connections.get('team/prod')?.status?.observedGeneration).toBe(1);
  });
});

describe('PATCHes that do not arrive', () => {
  test('end the batch once five in a row did not; a list asks first, and the rest continues at the pace of retries', async () => {
    const world = worldOf();
    world.live.set(scope, drifted(20));
    world.onRequest = ({ kind }) => {
      if (kind === 'patch') throw error('service-unreachable');
    };
    world.controller.start();
    await world.clock.advance(0);
    expect(runs(world.requests)).toEqual(['list 1', 'patch 5', 'list 1']);
    expect(world.results).toEqual(['corrected']);
  });

  test('count in a row only: each response in between begins anew', async () => {
    const world = worldOf();
    world.live.set(scope, drifted(8));
    world.onRequest = ({ kind }) => {
      if (kind === 'patch' && world.count('patch') !== 4) throw error('service-unreachable');
    };
    world.controller.start();
    await world.clock.advance(0);
    expect(runs(world.requests)).toEqual(['list 1', 'patch 8', 'list 1']);
  });
});

describe('when the service ends the sending', () => {
  test('nothing is listed to prove the rest', async () => {
    const world = worldOf();
    world.live.set(scope, drifted(3));
    world.onRequest = ({ kind }) => {
      if (kind === 'patch' && world.count('patch') === 2) throw error('service-busy', { retryAfterMs: 60_000 });
    };
    world.controller.start();
    await world.clock.advance(0);
    expect(runs(world.requests)).toEqual(['list 1', 'patch 2']);
    expect(world.results).toEqual(['unverified']);
  });

  test('what was sent is open, and the policy says so', async () => {
    const world = worldOf({}, policy());
    world.live.set(scope, [alert({ isActive: false })]);
    world.onRequest = ({ kind }) => {
      if (kind === 'list' && world.count('patch') === 1) throw error('service-unreachable');
    };
    world.controller.start();
    await world.clock.advance(0);
    expect(world.results).toEqual(['unverified']);
    expect(world.condition('owners', 'InSync')).toBe('Unknown/VerifyingWrite');
  });
});

test('a bug that the proving list meets is logged as one', async () => {
  const world = worldOf();
  world.live.set(scope, drifted(1));
  world.onRequest = ({ kind }) => {
    if (kind === 'list' && world.count('patch') === 1) throw new TypeError('a bug');
  };
  world.controller.start();
  await world.clock.advance(0);
  expect([world.results, world.errors]).toEqual([['error'], ['reconcile failed unexpectedly']]);
});

test('where the ledger cannot be written the cause is logged, and nothing is listed twice', async () => {
  const world = worldOf({}, policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } }));
  world.live.set(scope, [firing(['6f1c'])]);
  world.onStatusWrite = (kind) => {
    if (kind === 'connection') throw error('kube-unreachable');
  };
  world.controller.start();
  await world.clock.advance(0);
  expect([runs(world.requests), world.results, world.errors]).toEqual([['list 1'], ['error'], []]);
  expect(world.warnings).toContainEqual(expect.stringMatching(/^reconcile not completed .*"kube-unreachable"/));
});

describe('each of two deactivations', () => {
  const quiet = (name: string): PolicyAlert => ({ ...inactive({ incidents: ['6f1c'] }), name });

  /** The ledger as it was written, write by write, when each write of it and each PATCH takes so long. */
  async function slowDeactivations(writeMs: number, patchMs: number) {
    const ledgers: string[] = [];
    const world: FakeWorld = worldOf(
      {
        fence: (cluster) => ({
          ...cluster,
          async replaceConnectionStatus(object, status, signal) {
            const entries = (status.dismissals ?? []).map(({ alert: name }) => name).join(' ');
            if (ledgers.at(-1) !== entries) {
              ledgers.push(entries);
              await sleep(world.clock, writeMs);
            }
            const latest = world.connections.get('team/prod') ?? object;
            return cluster.replaceConnectionStatus(latest, status, signal);
          },
        }),
      },
      policy({ spec: { alerts: [quiet('Alert0'), quiet('Alert1')] } }),
    );
    world.live.set(
      scope,
      names(2).map((name) => firing(['6f1c'], { name })),
    );
    world.duringPatch = () => sleep(world.clock, patchMs);
    world.controller.start();
    await world.clock.advance(minuteMs);
    return { world, ledgers };
  }

  const fresh = ['list 1', 'patch 1', 'list 2', 'patch 1', 'list 1'];
  const listedAgain = ['list 2', 'patch 1', 'list 3', 'patch 1', 'list 1'];

  test.each([
    ['follows a list of its own', 0, 1000, fresh],
    ['follows that list also after a slow PATCH', 0, 6000, fresh],
    ['follows another one where its entry takes long', 6000, 0, listedAgain],
    ['is sent where everything takes long', 6000, 6000, listedAgain],
  ])('%s', async (_, writeMs, patchMs, requests) => {
    const { world, ledgers } = await slowDeactivations(writeMs, patchMs);
    expect(world.live.get(scope)?.map(({ isActive }) => isActive)).toEqual([false, false]);
    expect(ledgers).toEqual(['', 'Alert0', 'Alert0 Alert1']);
    expect(runs(world.requests).slice(0, requests.length)).toEqual(requests);
  });
});
