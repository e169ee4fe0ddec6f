// What is asked about a connection that this process does not serve, how often, and what the answer means.
import { expect, test } from 'vitest';

import type { ClusterPort, ReadUid } from '../../../src/controller/ports.ts';
import { Strangers } from '../../../src/controller/strangers.ts';
import { OperatorError } from '../../../src/lib/errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';

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
  return { clock, asked, strangers: new Strangers(cluster, clock) };
}

test('a process that serves everything knows of no other shard', async () => {
  const { strangers } = processThat();
  expect([strangers.isShard, await strangers.isElsewhere(key), await strangers.hasMoved(key, 'uid')]).toEqual([
    false,
    false,
    false,
  ]);
});

test.each([
  ['is elsewhere while the API server has it', 'uid', true],
  ['is nowhere when the API server has none', undefined, false],
])('a connection %s', async (_, uid, isElsewhere) => {
  const { strangers, asked } = processThat(async () => uid);
  expect([strangers.isShard, await strangers.isElsewhere(key), asked]).toEqual([true, isElsewhere, ['team prod']]);
});

test('one answer serves everyone who asks within a second', async () => {
  let uid: string | undefined = 'uid';
  const { clock, strangers, asked } = processThat(async () => uid);
  const ask = () => strangers.isElsewhere(key);
  expect(await Promise.all([ask(), ask()])).toEqual([true, true]);
  uid = undefined;
  await clock.advance(999);
  expect([await ask(), asked.length]).toEqual([true, 1]);
  await clock.advance(1);
  expect([await ask(), asked.length]).toEqual([false, 2]);
  expect(await strangers.isElsewhere('team/other')).toBe(false);
  expect(asked.at(-1)).toBe('team other');
});

test.each([
  ['has moved when the API server has the same one', 'uid', true],
  ['is gone when the API server has another one under its name', 'uid-of-another', false],
  ['is gone when the API server has none', undefined, false],
])('a connection that this process served %s, and each time it is asked anew', async (_, uid, hasMoved) => {
  const { strangers, asked } = processThat(async () => uid);
  expect([await strangers.hasMoved(key, 'uid'), await strangers.hasMoved(key, 'uid')]).toEqual([hasMoved, hasMoved]);
  expect(asked).toEqual(['team prod', 'team prod']);
});

test('an API server that does not say is asked again after a second', async () => {
  let isAway = true;
  const { clock, strangers } = processThat(async () => {
    if (isAway) throw new OperatorError('kube-unreachable', 'away');
    return 'uid';
  });
  await expect(strangers.isElsewhere(key)).rejects.toMatchObject({ code: 'kube-unreachable' });
  isAway = false;
  await clock.advance(1000);
  expect(await strangers.isElsewhere(key)).toBe(true);
});

test('a read is cut off after ten seconds, and leaves no timer when it ends before', async () => {
  const { clock, strangers } = processThat(
    (_namespace, _name, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new OperatorError('stopped', 'cut off')));
        clock.setTimer(12_000, () => resolve('uid'));
      }),
  );
  let end = '';
  strangers.hasMoved(key, 'uid').catch((error: OperatorError) => (end = error.code));
  await clock.advance(9999);
  expect(end).toBe('');
  await clock.advance(1);
  expect(end).toBe('stopped');
  const quick = processThat(async () => 'uid');
  await quick.strangers.hasMoved(key, 'uid');
  expect(quick.clock.pendingTimers).toBe(0);
});
