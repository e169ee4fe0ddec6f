// The reads about a connection that this process does not serve, how often, and their meaning.
import { expect, test } from 'vitest';

import { type CodedError, StoppedError } from '../../../../src/lib/errors.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import type { ClusterPort, ReadUid } from '../../../../src/operator/ports.ts';
import { ShardMembership } from '../../../../src/operator/queue/shard.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

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

test('an API server that does not say is asked again after a second', async () => {
  let isAway = true;
  const { clock, shard } = processThat(async () => {
    if (isAway) throw new KubeError('kube-unreachable', 'away');
    return 'uid';
  });
  await expect(shard.isServedByOther(key)).rejects.toMatchObject({ code: 'kube-unreachable' });
  isAway = false;
  await clock.advance(1000);
  expect(await shard.isServedByOther(key)).toBe(true);
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
