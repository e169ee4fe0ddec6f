import { describe, expect, test } from 'vitest';

import type { Priority } from '../../../src/alert-client/alert-client.ts';
import { Semaphore } from '../../../src/alert-client/semaphore.ts';
import { settlePromises } from '../../support/rigs/manual-clock.ts';

function enter(
  semaphore: Semaphore,
  events: string[],
  label: string,
  priority: Priority,
  signal = new AbortController().signal,
) {
  semaphore.acquire({ priority, signal }).then(
    () => events.push(label),
    () => events.push(`${label}:stopped`),
  );
}

describe('permits', () => {
  test('admit their number of requests, then one per release, high first', async () => {
    const semaphore = new Semaphore(2);
    const events: string[] = [];
    for (const label of ['l1', 'l2', 'l3']) enter(semaphore, events, label, 'low');
    enter(semaphore, events, 'h1', 'high');
    await settlePromises();
    expect(events).toEqual(['l1', 'l2']);
    semaphore.release();
    await settlePromises();
    expect(events).toEqual(['l1', 'l2', 'h1']);
    semaphore.release();
    semaphore.release();
    semaphore.release();
    await settlePromises();
    for (const label of ['a', 'b', 'c']) enter(semaphore, events, label, 'low');
    await settlePromises();
    expect(events).toEqual(['l1', 'l2', 'h1', 'l3', 'a', 'b']);
  });

  test('do not go to a caller that gave up', async () => {
    const semaphore = new Semaphore(1);
    const events: string[] = [];
    const life = new AbortController();
    enter(semaphore, events, 'a', 'low');
    enter(semaphore, events, 'b', 'low', life.signal);
    enter(semaphore, events, 'c', 'low');
    life.abort();
    semaphore.release();
    await settlePromises();
    expect(events).toEqual(['a', 'b:stopped', 'c']);
  });

  test('that are held count once, and are released once', async () => {
    const semaphore = new Semaphore(1);
    const events: string[] = [];
    const held = await semaphore.acquirePermit({ priority: 'low', signal: new AbortController().signal });
    for (const label of ['a', 'b']) enter(semaphore, events, label, 'low');
    await settlePromises();
    expect(events).toEqual([]);
    held.release();
    held.release();
    await settlePromises();
    expect(events).toEqual(['a']);
  });
});
