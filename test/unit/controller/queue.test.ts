import { beforeEach, describe, expect, it } from 'vitest';

import { KeyQueue } from '../../../src/controller/queue.ts';
import { ManualClock } from '../../support/manual-clock.ts';

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
    expect(queue.size).toBe(2);
    await clock.advance(999);
    expect(queue.next('resync')).toBeUndefined();
    await clock.advance(1);
    expect([queue.next('resync'), queue.next('resync')]).toEqual(['a', 'b']);
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

  it('tells when something becomes due, also later', async () => {
    queue.add('a', { urgency: 'resync', delayMs: 1000 });
    expect(calls).toBe(0);
    await clock.advance(1000);
    expect(calls).toBe(1);
    expect(queue.depth).toBe(1);
  });

  it('forgets what is removed, and everything when it stops', async () => {
    queue.add('a', { urgency: 'edit' });
    queue.remove('a');
    expect(queue.next('edit')).toBeUndefined();
    queue.add('b', { urgency: 'resync', delayMs: 10 });
    queue.stop();
    await clock.advance(10);
    expect([queue.next('resync'), clock.pendingTimers]).toEqual([undefined, 0]);
  });
});
