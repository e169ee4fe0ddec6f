// What one reconcile sends: in which order, how much of it, ahead of whom, and what it lists before and after.
import { describe, expect, test } from 'vitest';

import type { PolicyAlert } from '../../../../src/policy/generated/role-alert-policy.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import { alert, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld, type SentRequest } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const guard = { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } as const;
const names = (count: number) => Array.from({ length: count }, (_, index) => `Alert${index}`);
const drifted = (count: number) => names(count).map((name) => alert({ name, isActive: false }));
const error = (code: ErrorCode, facts = {}) => errorOf(code, 'made to fail', facts);

function worldOf(object = policy({ spec: guard })): ControllerWorld {
  const world = new ControllerWorld();
  world.apply(connection(), object);
  return world;
}

async function startedWith(count: number): Promise<ControllerWorld> {
  const world = worldOf();
  world.live.set(scope, drifted(count));
  await world.start();
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
async function dismissedUntil(): Promise<ControllerWorld> {
  const world = new ControllerWorld({ intervalMs: 60 * minuteMs });
  world.live.set(scope, [firing(['6f1c']), ...names(20).map((name) => alert({ name }))]);
  const until = new Date(world.clock.now() + 10 * minuteMs).toISOString();
  world.apply(connection(), policy({ spec: { ...guard, alerts: [inactive({ until })] } }));
  await world.start(9 * minuteMs);
  world.requests.length = 0;
  return world;
}

describe('the requests of a reconcile', () => {
  test('give way to others, but for the list that proves what was sent', async () => {
    const world = await startedWith(1);
    expect(priorities(world.requests)).toEqual(['list low', 'patch low', 'list high']);
  });

  test('go first once it ends a dismissal, whatever else it corrects', async () => {
    const world = await dismissedUntil();
    world.turn(scope, 'Alert0', false);
    await world.clock.advance(minuteMs);
    expect(priorities(world.requests)).toEqual(['list low', 'patch high', 'patch high', 'list high']);
  });

  test('name the scope as the policy spells it', async () => {
    const world = worldOf(policy({ spec: { ...guard, scope: 'Subscriptions/A' } }));
    world.live.set('Subscriptions/A', drifted(1));
    await world.start();
    expect(world.requests.map(({ scope: asked }) => asked)).toEqual(Array(3).fill('Subscriptions/A'));
  });
});

describe('one reconcile corrects', () => {
  test('what is inactive first, and then one deactivation at a time', async () => {
    const quiet = names(20).map((name): PolicyAlert => ({ ...inactive({ incidents: ['6f1c'] }), name }));
    const world = new ControllerWorld();
    world.live.set(scope, [
      ...names(20).map((name) => firing(['6f1c'], { name })),
      ...names(3).map((name) => alert({ name: `On${name}`, isActive: false })),
    ]);
    world.apply(
      connection({ limits: { ...connection().spec.limits, deactivationsPerHour: 20 } }),
      policy({ spec: { ...guard, alerts: quiet } }),
    );
    await world.start();
    const deactivated = Array.from({ length: 20 }, () => ['list 2', 'patch 1']).flat();
    expect(runs(world.requests)).toEqual(['list 1', 'patch 3', ...deactivated, 'list 1']);
  });
});

describe('the rate limiter', () => {
  /** With half of the burst, and nothing more within the hour. Everything is an edit, for which nothing is held back. */
  async function editedWith(burst: number, object: ReturnType<typeof policy>): Promise<ControllerWorld> {
    const world = new ControllerWorld({ rateLimits: { requestsPerHour: 1, burst } });
    for (const each of ['b', 'c']) world.live.set(`subscriptions/${each}`, [alert()]);
    world.live.set(scope, [
      object.spec.alerts?.[0]?.state === 'Active' ? alert({ isActive: false }) : firing(['6f1c']),
    ]);
    world.apply(connection());
    await world.start();
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

test('PATCHes that do not arrive end the batch once five in a row did not; a list asks first, and the rest continues at the pace of retries', async () => {
  const world = worldOf();
  world.live.set(scope, drifted(20));
  world.onRequest = ({ kind }) => {
    if (kind === 'patch') throw error('service-unreachable');
  };
  await world.start();
  expect(runs(world.requests)).toEqual(['list 1', 'patch 5', 'list 1']);
  expect(world.results).toEqual(['corrected']);
});

test('when the service ends the sending nothing is listed to prove the rest', async () => {
  const world = worldOf();
  world.live.set(scope, drifted(3));
  world.onRequest = ({ kind }) => {
    if (kind === 'patch' && world.count('patch') === 2) throw error('service-busy', { retryAfterMs: 60_000 });
  };
  await world.start();
  expect(runs(world.requests)).toEqual(['list 1', 'patch 2']);
  expect(world.results).toEqual(['unverified']);
});
