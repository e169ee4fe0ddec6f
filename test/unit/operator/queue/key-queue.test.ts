import { beforeEach, describe, expect, it } from 'vitest';

import { KeyQueue } from '../../../../src/operator/queue/key-queue.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

describe('the key queue', () => {
  let clock: ManualClock;
  let queue: KeyQueue;
  let calls: number;

  beforeEach(() => {
    clock = new ManualClock();
    calls = 0;
    queue = new KeyQueue({ clock, onDue: () => (calls += 1) });
  });

  it('hands out due keys in order of arrival, each urgency in its own line', () => {
    queue.add('b', { urgency: 'resync' });
    queue.add('a', { urgency: 'resync' });
    queue.add('c', { urgency: 'edit' });
    expect([queue.next('edit'), queue.next('resync'), queue.next('resync'), queue.next('resync')]).toEqual([
      'c',
      'b',
      'a',
      undefined,
    ]);
  });

  it('holds a key once, at the earlier of two deadlines', async () => {
    queue.add('a', { urgency: 'resync', delayMs: 1000 });
    queue.add('a', { urgency: 'resync', delayMs: 5000 });
    queue.add('b', { urgency: 'resync', delayMs: 5000 });
    queue.add('b', { urgency: 'resync', delayMs: 1000 });
    await clock.advance(999);
    expect(queue.next('resync')).toBeUndefined();
    await clock.advance(1);
    expect([queue.next('resync'), queue.next('resync'), queue.next('resync')]).toEqual(['a', 'b', undefined]);
    await clock.advance(10_000);
    expect(queue.next('resync')).toBeUndefined();
  });

  it('lets an edit overtake a resync of the same key, and never the other way round', () => {
    queue.add('a', { urgency: 'resync' });
    queue.add('a', { urgency: 'edit' });
    queue.add('a', { urgency: 'resync' });
    expect([queue.next('edit'), queue.next('resync')]).toEqual(['a', undefined]);
  });

  it('does not hand out a key that is being worked on until it is done', () => {
    queue.add('a', { urgency: 'edit' });
    expect(queue.next('edit')).toBe('a');
    queue.add('a', { urgency: 'edit' });
    expect(queue.next('edit')).toBeUndefined();
    queue.done('a');
    expect(queue.next('edit')).toBe('a');
  });

  it('signals when a key becomes due, also later', async () => {
    queue.add('a', { urgency: 'resync', delayMs: 1000 });
    expect(calls).toBe(0);
    await clock.advance(1000);
    expect(calls).toBe(1);
    expect(queue.depth).toBe(1);
  });

  it('forgets everything when it stops', async () => {
    queue.add('a', { urgency: 'edit' });
    queue.add('b', { urgency: 'resync', delayMs: 10 });
    queue.stop();
    await clock.advance(10);
    expect([queue.next('edit'), queue.next('resync'), clock.pendingTimers]).toEqual([undefined, undefined, 0]);
  });

  it('hands out first what waits longest, whenever it became due', () => {
    clock.jump(10_000);
    queue.add('a', { urgency: 'resync' });
    queue.add('b', { urgency: 'resync', sinceMs: 4000 });
    queue.add('c', { urgency: 'resync', sinceMs: 3000 });
    queue.add('a', { urgency: 'resync', sinceMs: 2000 });
    expect([queue.next('resync'), queue.next('resync'), queue.next('resync')]).toEqual(['a', 'c', 'b']);
  });

  it('takes a delay that is over for none', () => {
    clock.jump(10_000);
    queue.add('a', { urgency: 'resync' });
    queue.add('b', { urgency: 'resync', delayMs: -5000 });
    expect([queue.next('resync'), queue.next('resync')]).toEqual(['a', 'b']);
  });

  it('hands out a key that was added during the work on it when that is due, and once', async () => {
    queue.add('a', { urgency: 'resync' });
    expect(queue.next('resync')).toBe('a');
    queue.add('a', { urgency: 'resync', delayMs: 1000 });
    queue.done('a');
    expect(queue.next('resync')).toBeUndefined();
    await clock.advance(1000);
    expect([queue.next('resync'), queue.next('resync')]).toEqual(['a', undefined]);
  });

  it('does not mind the end of work that it did not hand out', () => {
    queue.add('a', { urgency: 'resync' });
    calls = 0;
    queue.done('a');
    queue.done('b');
    expect([calls, queue.next('resync'), queue.next('resync')]).toEqual([0, 'a', undefined]);
  });

  it('is not woken for a key that came earlier', async () => {
    queue.add('b', { urgency: 'resync', delayMs: 2000 });
    queue.add('b', { urgency: 'resync' });
    expect(queue.next('resync')).toBe('b');
    calls = 0;
    await clock.advance(5000);
    expect([calls, queue.next('resync')]).toEqual([0, undefined]);
  });
});

it('keys that wait become due together, the longest wait first, and keep their place when they are handed out and wait again', async () => {
  const clock = new ManualClock();
  const queue = new KeyQueue({ clock, onDue: () => undefined });
  queue.add('later', { urgency: 'resync', delayMs: 2000 });
  queue.add('sooner', { urgency: 'resync', delayMs: 1000 });
  queue.add('had its turn', { urgency: 'resync' });
  queue.add('not yet', { urgency: 'resync', delayMs: 60_000 });
  await clock.advance(2000);
  for (let key = queue.next('resync'); key !== undefined; key = queue.next('resync')) {
    if (key === 'had its turn') queue.moveBack(key, clock.monotonic());
    queue.add(key, { urgency: 'resync', delayMs: Infinity, sinceMs: queue.sinceOf(key) });
    queue.done(key);
  }
  expect([queue.depth, clock.pendingTimers]).toEqual([0, 1]);
  queue.release();
  const order = [queue.next('resync'), queue.next('resync'), queue.next('resync'), queue.next('resync')];
  expect(order).toEqual(['sooner', 'later', 'had its turn', undefined]);
});
