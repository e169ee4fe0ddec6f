// Waits: with a time limit, until a stop, and for a permit.

import { describe, expect, it, test } from 'vitest';

import { within } from '../../../src/lib/clock.ts';
import { StoppedError, unlessStopped } from '../../../src/lib/errors.ts';
import { Semaphore } from '../../../src/lib/semaphore.ts';
import { ManualClock, settlePromises } from '../../support/rigs/manual-clock.ts';

describe('waiting for a promise', () => {
  it('gives its value or its error, and leaves no timer', async () => {
    const clock = new ManualClock();
    await expect(within(clock, 1000, Promise.resolve(42))).resolves.toBe(42);
    await expect(within(clock, 1000, Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends when the time is up, whatever comes later', async () => {
    const clock = new ManualClock();
    let refuse: (error: Error) => void = () => undefined;
    const promise = new Promise<never>((_resolve, reject) => {
      refuse = reject;
    });
    const outcome = within(clock, 1000, promise);
    await clock.advance(1000);
    refuse(new Error('too late'));
    await expect(outcome).resolves.toBe('late');
  });
});

const never = new Promise<never>(() => undefined);

it('a wait that ends with a stop settles as the promise does', async () => {
  const { signal } = new AbortController();
  expect(await unlessStopped(Promise.resolve(1), signal)).toBe(1);
  await expect(unlessStopped(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
});

it('a wait ends when the signal aborts, before or during the wait', async () => {
  const stopping = new AbortController();
  const waiting = unlessStopped(never, stopping.signal);
  stopping.abort();
  await expect(waiting).rejects.toThrow(StoppedError);
  await expect(unlessStopped(never, stopping.signal)).rejects.toThrow(StoppedError);
});

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
