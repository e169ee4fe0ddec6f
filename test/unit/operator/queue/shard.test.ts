// One shard of several: what it does with policies whose connection it does not serve, and with a connection that leaves it.
import { expect, test } from 'vitest';

import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

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
  world.leaveShard(connection());
  const sent = world.requests.length;
  await world.clock.advance(3600 * second);
  expect(directions(world)).toEqual([false]);
  expect([world.requests.length, world.policies.writes]).toEqual([sent, writes]);
});

test('a connection that leaves the shard and comes back is served again', async () => {
  const world = await dismissed();
  const found = world.connections.get('team/prod') ?? connection();
  world.leaveShard(found);
  await world.clock.advance(0);
  world.apply(found);
  await world.clock.advance(60 * second);
  const listed = world.count('list');
  await world.clock.advance(3600 * second);
  expect(world.count('list')).toBeGreaterThan(listed);
  expect(directions(world)).toEqual([false]);
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
