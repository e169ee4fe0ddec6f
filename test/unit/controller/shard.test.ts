// One shard of several: what it does with policies whose connection it does not serve, and with a connection that leaves it.
import { expect, test } from 'vitest';

import { KubeError } from '../../../src/kube/kube-error.ts';
import { alertName, connection, firing, inactive, policy, prodFields } from '../../support/builders/objects.ts';
import { FakeWorld } from '../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const second = 1000;
const quiet = policy({ spec: { alerts: [inactive({ maxIncidents: 2 })] } });
const nothing = new Map<string, string>();

function shard(elsewhere = nothing) {
  const world = new FakeWorld({ elsewhere });
  world.live.set(scope, [firing(['6f1c'])]);
  return world;
}

async function dismissed() {
  const world = shard();
  world.apply(connection());
  world.apply(quiet);
  world.controller.start();
  await world.clock.advance(0);
  expect(directions(world)).toEqual([false]);
  return world;
}

const directions = (world: FakeWorld) =>
  world.requests.filter(({ kind }) => kind === 'patch').map(({ isActive }) => isActive);
const uid = connection().metadata.uid;

test('a policy whose connection is in another shard is left alone, whatever is done to it', async () => {
  const world = shard(new Map([['team/prod', uid]]));
  world.apply(quiet);
  world.controller.start();
  await world.clock.advance(60 * second);
  world.apply({ ...quiet, metadata: { ...quiet.metadata, generation: 2 } });
  await world.clock.advance(60 * second);
  world.apply({ ...quiet, status: { observedGeneration: 1 } });
  await world.clock.advance(3600 * second);
  expect([world.policies.writes, world.requests, world.events]).toEqual([0, [], []]);
});

test('a status that another shard writes is not even asked about', async () => {
  const world = shard(new Map([['team/prod', uid]]));
  world.apply(quiet);
  world.controller.start();
  await world.clock.advance(60 * second);
  let reads = 0;
  world.onUidRead = () => (reads += 1);
  world.apply({ ...quiet, status: { observedGeneration: 1 } });
  await world.clock.advance(60 * second);
  expect(reads).toBe(0);
});

test('a policy whose connection is in no shard reports that after five seconds', async () => {
  const world = shard();
  world.apply(quiet);
  world.controller.start();
  await world.clock.advance(4.9 * second);
  expect(world.condition(quiet.metadata.name, 'Ready')).toBe('Unknown/Pending');
  await world.clock.advance(second);
  expect(world.condition(quiet.metadata.name, 'Ready')).toBe('False/ConnectionNotFound');
});

test('a connection that another shard gets a moment after its policies is never called missing', async () => {
  const world = shard();
  world.apply(quiet);
  world.controller.start();
  await world.clock.advance(2 * second);
  world.elsewhere?.set('team/prod', uid);
  await world.clock.advance(3600 * second);
  expect(world.policies.writes).toBe(0);
});

test('an API server that does not say is asked again', async () => {
  const world = shard();
  world.onUidRead = () => {
    throw new KubeError('kube-unreachable', 'away');
  };
  world.apply(quiet);
  world.controller.start();
  await world.clock.advance(30 * second);
  expect(world.policies.writes).toBe(0);
  world.onUidRead = () => undefined;
  await world.clock.advance(120 * second);
  expect(world.condition(quiet.metadata.name, 'Ready')).toBe('False/ConnectionNotFound');
});

test('a connection that moves to another shard keeps its dismissals, and is not reconciled any more', async () => {
  const world = await dismissed();
  const writes = world.policies.writes;
  world.elsewhere?.set('team/prod', uid);
  world.remove(connection());
  const sent = world.requests.length;
  await world.clock.advance(3600 * second);
  expect(directions(world)).toEqual([false]);
  expect([world.requests.length, world.policies.writes]).toEqual([sent, writes]);
});

test('a connection that is deleted permanently has its dismissals ended, and its policies report it', async () => {
  const world = await dismissed();
  world.remove(connection());
  await world.clock.advance(10 * second);
  expect(directions(world)).toEqual([false, true]);
  expect(world.condition(quiet.metadata.name, 'Ready')).toBe('False/ConnectionNotFound');
});

test('no dismissal ends while it is unknown whether the connection is deleted or moved', async () => {
  const world = await dismissed();
  world.onUidRead = () => {
    throw new KubeError('kube-unreachable', 'away');
  };
  world.remove(connection());
  await world.clock.advance(60 * second);
  expect(directions(world)).toEqual([false]);
  expect(world.errors).toContain('alerts not re-activated, their connection is deleted or in another shard');
});

test('the dismissals are released once the API server says that the connection is deleted', async () => {
  const world = await dismissed();
  world.onUidRead = () => {
    throw new KubeError('kube-unreachable', 'away');
  };
  world.remove(connection());
  await world.clock.advance(3600 * second);
  world.onUidRead = () => undefined;
  await world.clock.advance(600 * second);
  expect(directions(world)).toEqual([false, true]);
});

test('a connection that leaves the shard and comes back continues while its first runtime ends', async () => {
  const world = await dismissed();
  const { status } = world.connections.get('team/prod') ?? {};
  let reads = 0;
  world.onUidRead = () => {
    reads++;
    if (reads === 1) throw new KubeError('kube-unreachable', 'away');
  };
  world.remove(connection());
  await world.clock.advance(0);
  world.apply({ ...connection(), ...(status && { status }) });
  await world.clock.advance(60 * second);
  expect(reads).toBeGreaterThan(1);
  const listed = world.count('list');
  await world.clock.advance(3600 * second);
  expect(world.count('list')).toBeGreaterThan(listed);
});

test('a connection that comes into the shard is taken over with its ledger', async () => {
  const world = shard(new Map([['team/prod', uid]]));
  world.live.set(scope, [firing(['6f1c'], { isActive: false })]);
  world.controller.start();
  await world.clock.advance(60 * second);
  const since = '2026-01-01T00:00:00Z';
  world.apply({
    ...connection(),
    status: { observedGeneration: 1, dismissals: [{ scope, alert: alertName, policy: 'team/gone', since }] },
  });
  await world.clock.advance(10 * second);
  expect(directions(world)).toEqual([true]);
});

test('the API server is asked after 1 s, 2 s, 4 s … for a connection that is gone, and the log names it once', async () => {
  const world = await dismissed();
  const reads: number[] = [];
  world.onUidRead = () => {
    reads.push(Math.floor(world.clock.monotonic()));
    throw new KubeError('kube-unreachable', 'away');
  };
  world.remove(connection());
  world.remove(quiet);
  await world.clock.advance(600 * second);
  expect(reads.slice(0, 9)).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255].map((each) => each * second));
  expect(world.errors).toEqual(['alerts not re-activated, their connection is deleted or in another shard']);
  expect(world.errorFacts).toEqual([{ ...prodFields, alerts: 1, code: 'kube-unreachable', error: 'away' }]);
});

test('a stop does not wait until the API server says whether a connection is deleted', async () => {
  const world = await dismissed();
  world.onUidRead = () => {
    throw new KubeError('kube-unreachable', 'away');
  };
  world.remove(connection());
  await world.clock.advance(100 * second);
  let isStopped = false;
  void world.controller.stop().then(() => (isStopped = true));
  await world.clock.advance(0);
  expect([isStopped, directions(world)]).toEqual([true, [false]]);
  await world.clock.advance(3600 * second);
  expect([directions(world), world.clock.pendingTimers]).toEqual([[false], 0]);
});
