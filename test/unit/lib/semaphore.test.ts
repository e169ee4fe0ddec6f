import { describe, expect, test } from 'vitest';

import { Semaphore } from '../../../src/lib/semaphore.ts';
import { settlePromises } from '../../support/rigs/manual-clock.ts';

function enter(semaphore: Semaphore, events: string[], label: string, signal?: AbortSignal) {
  semaphore.acquire(signal).then(
    () => events.push(label),
    () => events.push(`${label}:stopped`),
  );
}

describe('permits', () => {
  test('admit their number of callers, then one per release, in the order of the callers', async () => {
    const semaphore = new Semaphore(2);
    const events: string[] = [];
    const permits = [await semaphore.acquire(), await semaphore.acquire()];
    for (const label of ['a', 'b', 'c', 'd']) enter(semaphore, events, label);
    await settlePromises();
    expect(events).toEqual([]);
    permits[1]?.release();
    permits[1]?.release();
    await settlePromises();
    expect(events).toEqual(['a']);
    permits[0]?.release();
    await settlePromises();
    expect(events).toEqual(['a', 'b']);
  });

  test('do not go to a caller that gave up, not even in the tick of the release', async () => {
    const semaphore = new Semaphore(1);
    const events: string[] = [];
    const held = await semaphore.acquire();
    const [early, late] = [new AbortController(), new AbortController()];
    enter(semaphore, events, 'a', early.signal);
    enter(semaphore, events, 'b', late.signal);
    enter(semaphore, events, 'c');
    early.abort();
    await settlePromises();
    held.release();
    late.abort();
    await settlePromises();
    expect(events).toEqual(['a:stopped', 'b:stopped', 'c']);
  });
});

test('so much work is in progress at a time, and the rest begins in its order', async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const runs = [0, 1, 2, 3].map((at) =>
    semaphore.run(async () => {
      begun.push(at);
      await new Promise<void>((resolve) => ends.push(resolve));
      return at;
    }),
  );
  await settlePromises();
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await runs[1];
  await settlePromises();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await runs[2];
  await settlePromises();
  ends[3]?.();
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3]);
});

test('work that fails makes room, too, and its error is the caller’s', async () => {
  const semaphore = new Semaphore(1);
  const failed = semaphore.run(() => Promise.reject(new Error('made to fail')));
  const next = semaphore.run(() => Promise.resolve('done'));
  await expect(failed).rejects.toThrow('made to fail');
  expect(await next).toBe('done');
});
