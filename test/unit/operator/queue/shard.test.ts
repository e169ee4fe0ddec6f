// One shard of several: what it does with policies whose connection it does not serve, and with a connection that leaves it.
import { expect, test } from 'vitest';

import { type CodedError, StoppedError } from '../../../../src/lib/errors.ts';
import type { ClusterPort, ReadUid } from '../../../../src/operator/ports.ts';
import { servedPolicies, ShardMembership } from '../../../../src/operator/queue/shard.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { at, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const scope = 'subscriptions/a';
const second = 1000;
const quiet = policy({ spec: { alerts: [inactive({ maxIncidents: 2 })] } });
const nothing = new Map<string, string>();

function shard(elsewhere = nothing) {
  const world = new ControllerWorld({ elsewhere });
  world.live.set(scope, [firing(['6f1c'])]);
  return world;
}

async function dismissed() {
  const world = shard();
  world.apply(connection(), quiet);
  await world.start();
  expect(directions(world)).toEqual([false]);
  return world;
}

const directions = (world: ControllerWorld) =>
  world.requests.filter(({ kind }) => kind === 'patch').map(({ isActive }) => isActive);
const uid = connection().metadata.uid;

test('a policy whose connection is in another shard is left alone, whatever is done to it', async () => {
  const world = shard(new Map([['team/prod', uid]]));
  world.apply(quiet);
  await world.start(60 * second);
  world.apply({ ...quiet, metadata: { ...quiet.metadata, generation: 2 } });
  await world.clock.advance(60 * second);
  world.apply({ ...quiet, status: { observedGeneration: 1 } });
  await world.clock.advance(3600 * second);
  expect([world.policies.writes, world.requests, world.events]).toEqual([0, [], []]);
});

test('a policy whose connection is in no shard reports that after five seconds', async () => {
  const world = shard();
  world.apply(quiet);
  await world.start(4.9 * second);
  expect(world.condition(quiet.metadata.name, 'Ready')).toBe('Unknown/Pending');
  await world.clock.advance(second);
  expect(world.condition(quiet.metadata.name, 'Ready')).toBe('False/ConnectionNotFound');
});

test('a connection that another shard gets a moment after its policies is never called missing', async () => {
  const world = shard();
  world.apply(quiet);
  await world.start(2 * second);
  world.elsewhere?.set('team/prod', uid);
  await world.clock.advance(3600 * second);
  expect(world.policies.writes).toBe(0);
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

// Which policies a process serves, so that its metrics have series of them.

const lost: RoleAlertPolicy['status'] = {
  observedGeneration: 1,
  conditions: [
    {
      type: 'ConnectionReady',
      status: 'False',
      reason: 'ConnectionNotFound',
      message: '',
      lastTransitionTime: at(0),
    },
  ],
};
const elsewhere = { connectionRef: { kind: 'RoleAlertConnection', name: 'other' } } as const;

function namesServed(readUidAnywhere?: ReadUid): string[] {
  const policies = [
    policy({ name: 'own' }),
    policy({ name: 'of-another-shard', spec: elsewhere }),
    policy({ name: 'without-connection', spec: elsewhere, status: lost }),
  ];
  const cluster = {
    policies: { list: () => policies },
    connections: new Map([['team/prod', connection()]]),
    readUidAnywhere,
  } as unknown as ClusterPort;
  return [...servedPolicies(cluster)].map(({ metadata }) => metadata.name);
}

test('without shards it serves every policy', () => {
  expect(namesServed()).toEqual(['own', 'of-another-shard', 'without-connection']);
});

test('a shard serves the policies of its connections, and those whose connection does not exist', () => {
  expect(namesServed(async () => undefined)).toEqual(['own', 'without-connection']);
});

// The reads about a connection that this process does not serve, how often, and their meaning.

const key = 'team/prod';

/** A process that serves a shard, or everything when it cannot read the connections of other shards. */
function processThat(readUidAnywhere?: ReadUid) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const read: ReadUid | undefined =
    readUidAnywhere &&
    ((namespace, name, signal) => {
      asked.push(`${namespace} ${name}`);
      return readUidAnywhere(namespace, name, signal);
    });
  const cluster = { readUidAnywhere: read } as unknown as ClusterPort;
  return { clock, asked, shard: new ShardMembership(cluster, clock) };
}

test('a process that serves everything knows of no other shard', async () => {
  const { shard } = processThat();
  expect([shard.isSharded, await shard.isServedByOther(key)]).toEqual([false, false]);
});

test.each([
  ['is elsewhere while the API server has it', 'uid', true],
  ['is nowhere when the API server has none', undefined, false],
])('a connection %s', async (_, uid, isServedByOther) => {
  const { shard, asked } = processThat(async () => uid);
  expect([shard.isSharded, await shard.isServedByOther(key), asked]).toEqual([true, isServedByOther, ['team prod']]);
});

test('all callers within a second share one read', async () => {
  let uid: string | undefined = 'uid';
  const { clock, shard, asked } = processThat(async () => uid);
  const ask = () => shard.isServedByOther(key);
  expect(await Promise.all([ask(), ask()])).toEqual([true, true]);
  uid = undefined;
  await clock.advance(999);
  expect([await ask(), asked.length]).toEqual([true, 1]);
  await clock.advance(1);
  expect([await ask(), asked.length]).toEqual([false, 2]);
  expect(await shard.isServedByOther('team/other')).toBe(false);
  expect(asked.at(-1)).toBe('team other');
});

test('a read is cut off after ten seconds, and leaves no timer when it ends before', async () => {
  const { clock, shard } = processThat(
    (_namespace, _name, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new StoppedError('cut off')));
        clock.setTimer(12_000, () => resolve('uid'));
      }),
  );
  let end = '';
  shard.isServedByOther(key).catch((error: CodedError) => (end = error.code));
  await clock.advance(9999);
  expect(end).toBe('');
  await clock.advance(1);
  expect(end).toBe('stopped');
  const quick = processThat(async () => 'uid');
  await quick.shard.isServedByOther(key);
  await quick.clock.advance(1000);
  expect(quick.clock.pendingTimers).toBe(0);
});
