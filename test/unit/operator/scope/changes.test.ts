// What a change from the watch causes: an edit at once, what another writer did to a status a second later, our own
// writes nothing.
import { describe, expect, test } from 'vitest';

import { sleep } from '../../../../src/lib/clock.ts';
import { StoppedError } from '../../../../src/lib/errors.ts';
import { pendingStatus } from '../../../../src/policy/resources.ts';
import { type ErrorCode, errorOf } from '../../../support/builders/errors.ts';
import { alert, alertName, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const hourMs = 60 * minuteMs;
const nothingSaid = { observedGeneration: -1 };

/** A world at rest: everything is active, and all of it is said. */
async function atRest(objects = [policy()], change: ConstructorParameters<typeof ControllerWorld>[0] = {}) {
  const world = new ControllerWorld(change);
  world.live.set(scope, [alert()]).set('subscriptions/b', [alert()]).set('subscriptions/c', [alert()]);
  world.apply(connection());
  world.apply(...objects);
  await world.start(5000);
  world.requests.length = 0;
  return world;
}

function failing(code: ErrorCode): () => never {
  return () => {
    throw errorOf(code, 'made to fail');
  };
}

const editOf = <T extends { metadata: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, generation: 2 },
});

describe('when another writer changes a status', () => {
  test('the policy without a connection says a second later that it has none', async () => {
    const world = new ControllerWorld();
    world.apply(policy());
    await world.start(5000);
    world.apply({ ...policy(), status: nothingSaid });
    await world.clock.advance(1000);
    expect(world.condition('owners', 'Stalled')).toBe('True/ConnectionNotFound');
  });

  test('the connection says a second later what is so, without a list', async () => {
    const world = await atRest();
    world.apply({ ...connection(), status: nothingSaid });
    await world.clock.advance(999);
    expect(world.connectionReady()).toBe('Unknown/Pending');
    await world.clock.advance(1);
    expect([world.connectionReady(), world.requests]).toEqual(['True/Connected', []]);
  });
});

test('a change that the operator made itself, or that concerns nothing of it, causes nothing', async () => {
  const world = await atRest();
  const counted = [...world.counted];
  const { pendingTimers } = world.clock;
  for (const store of [world.policies, world.connections]) for (const object of store.list()) world.apply(object);
  expect(world.clock.pendingTimers).toBe(pendingTimers);
  await world.clock.advance(minuteMs);
  expect([world.requests, world.counted]).toEqual([[], counted]);
});

describe('a new policy without a connection', () => {
  test('shows that after a second', async () => {
    const world = new ControllerWorld();
    world.controller.start();
    world.apply(policy());
    await world.clock.advance(999);
    expect(world.condition('owners', 'Stalled')).toBe('absent');
    await world.clock.advance(1);
    expect(world.condition('owners', 'Stalled')).toBe('True/ConnectionNotFound');
  });

  test('never shows it when the connection follows within the second', async () => {
    const world = new ControllerWorld();
    const shown = new Set<string>();
    world.onStatusWrite = () => void shown.add(world.condition('owners', 'ConnectionReady'));
    world.controller.start();
    world.apply(policy());
    await world.clock.advance(900);
    world.live.set(scope, [alert()]);
    world.apply(connection());
    await world.clock.advance(5000);
    expect(world.condition('owners', 'ConnectionReady')).toBe('True/Connected');
    expect([...shown]).not.toContain('False/ConnectionNotFound');
  });
});

describe('an edit', () => {
  test('is listed before the status of its connection is written, which counts the edits of a second at once', async () => {
    const world = await atRest();
    const done: string[] = [];
    world.onRequest = ({ kind }) => done.push(kind);
    world.onStatusWrite = (kind) => {
      if (kind === 'connection') done.push('counts');
    };
    for (const name of ['b', 'c', 'd']) {
      world.apply(policy({ name, spec: { scope: `subscriptions/${name}` } }));
      await world.clock.advance(300);
    }
    expect(done).toEqual(['list', 'list', 'list']);
    await world.clock.advance(100);
    expect(done).toEqual(['list', 'list', 'list', 'counts']);
    expect(world.connections.get('team/prod')?.status).toMatchObject({ policies: 4, scopes: 4 });
  });

  test.each(['policy', 'connection'])('of a %s begins the back-off anew', async (kind) => {
    const world = await atRest();
    world.onRequest = failing('service-protocol');
    await world.clock.advance(2 * hourMs);
    world.requests.length = 0;
    world.apply(editOf(kind === 'policy' ? policy() : connection()));
    // At once, then after one and two seconds, each with a fifth of jitter.
    await world.clock.advance(1200);
    expect(world.count('list')).toBe(2);
    await world.clock.advance(2400);
    expect(world.count('list')).toBe(3);
  });
});

test('the load is what waits in the work queues, and what is in progress', async () => {
  const world = new ControllerWorld();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
    world.apply(policy({ name, spec: { scope: `subscriptions/${name}` } }));
  world.apply(connection());
  world.duringList = () => sleep(world.clock, 1000);
  await world.start();
  expect(world.controller.load()).toEqual({ depth: 2, active: 4 });
  await world.clock.advance(minuteMs);
  expect(world.controller.load()).toEqual({ depth: 0, active: 0 });
});

describe('a stop', () => {
  const other = connection();
  const otherConnection = { ...other, metadata: { ...other.metadata, name: 'other', uid: 'uid-other' } };
  const policyOfOther = policy({
    name: 'of-other',
    spec: { connectionRef: { kind: 'RoleAlertConnection', name: 'other' }, scope: 'subscriptions/b' },
  });

  test.each([
    ['a connection', [otherConnection, policyOfOther]],
    ['a policy', [policyOfOther]],
    ['an edit', [editOf(policy())]],
  ])('takes no more changes: %s', async (_, objects) => {
    const world = await atRest();
    const writes = world.policies.writes;
    await world.controller.stop();
    world.apply(...objects);
    await world.clock.advance(hourMs);
    expect([world.requests, world.policies.writes]).toEqual([[], writes]);
  });

  test.each([
    [19_999, 2],
    [20_001, 1],
  ])('waits for a PATCH of %i ms and its proof when it takes less than twenty seconds', async (patchMs, lists) => {
    const world = await atRest();
    world.duringPatch = (signal) =>
      new Promise((resolve, reject) => {
        world.clock.setTimer(patchMs, resolve);
        signal.addEventListener('abort', () => reject(new StoppedError('cut off')));
      });
    world.turn(scope, alertName, false);
    world.apply(editOf(policy()));
    await world.clock.advance(0);
    expect(world.count('patch')).toBe(1);
    let isStopped = false;
    void world.controller.stop().then(() => (isStopped = true));
    await world.clock.advance(20_000);
    expect([isStopped, world.count('list')]).toEqual([true, lists]);
  });
});

describe('a client that changes the status again and again', () => {
  const resting = () => atRest([policy()], { intervalMs: 24 * hourMs });

  function wipe(world: ControllerWorld): void {
    const now = world.policies.get('team/owners');
    if (now && now.status?.observedGeneration !== -1) world.apply({ ...now, status: pendingStatus });
  }

  test('costs a list and a write every five minutes', async () => {
    const world = await resting();
    const { writes } = world.policies;
    for (let second = 0; second < 3600; second++) {
      wipe(world);
      await world.clock.advance(1000);
    }
    // 1, 2, 4 … 256 s and then every 300 s.
    const repairs = 9 + Math.floor((3600 - 511) / 301);
    expect([world.count('list'), world.policies.writes - writes]).toEqual([repairs, repairs]);
    expect(world.warnings.filter((line) => line.includes('status changed by another client'))).toHaveLength(1);
    await world.clock.advance(hourMs);
    const quiet = world.policies.writes;
    wipe(world);
    await world.clock.advance(1001);
    expect(world.policies.writes).toBe(quiet + 1);
  });
});
