import { beforeEach, describe, expect, test } from 'vitest';

import { isCoded } from '../../../../src/lib/errors.ts';
import type { Priority } from '../../../../src/operator/alert-client/alert-client.ts';
import { RateLimiter, type RateLimits } from '../../../../src/operator/alert-client/rate-limiter.ts';
import { ManualClock, settlePromises } from '../../../support/rigs/manual-clock.ts';

const hourMs = 3_600_000;
let clock: ManualClock;
/** What happened, in order: the label when granted, `label:code` when refused. */
let events: string[];

beforeEach(() => {
  clock = new ManualClock();
  events = [];
});

function createRateLimiter(limits: RateLimits, initialTokens = limits.burst): RateLimiter {
  return new RateLimiter({ clock, ...limits, initialTokens });
}

function take(
  rateLimiter: RateLimiter,
  label: string,
  requests: number,
  priority: Priority,
  signal?: AbortSignal,
): void {
  rateLimiter.acquire(requests, { priority, signal: signal ?? new AbortController().signal }).then(
    () => events.push(label),
    (error: unknown) => events.push(`${label}:${isCoded(error) ? error.code : 'other'}`),
  );
}

async function happened(): Promise<readonly string[]> {
  await settlePromises();
  return events.splice(0);
}

describe('the rate limiter', () => {
  const perSecond = { requestsPerHour: 3600, burst: 4 };

  test('grants a burst at once and then one at a time', async () => {
    const rateLimiter = createRateLimiter(perSecond);
    for (const label of ['a', 'b', 'c', 'd', 'e', 'f']) take(rateLimiter, label, 1, 'high');
    expect(await happened()).toEqual(['a', 'b', 'c', 'd']);
    await clock.advance(999);
    expect(await happened()).toEqual([]);
    await clock.advance(1);
    expect(await happened()).toEqual(['e']);
    await clock.advance(1000);
    expect(await happened()).toEqual(['f']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('serves high before low, and keeps a quarter of the burst from low', async () => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 3600, burst: 16 });
    take(rateLimiter, 'l1', 11, 'low');
    for (const label of ['l2', 'l3']) take(rateLimiter, label, 1, 'low');
    expect(await happened()).toEqual(['l1', 'l2']);
    take(rateLimiter, 'h1', 4, 'high');
    expect(await happened()).toEqual(['h1']);
    take(rateLimiter, 'h2', 1, 'high');
    await clock.advance(1000);
    expect(await happened()).toEqual(['h2']);
    await clock.advance(4999);
    expect(await happened()).toEqual([]);
    await clock.advance(1);
    expect(await happened()).toEqual(['l3']);
  });

  test.each([
    [8, 5],
    [4, 1],
    [2, 1],
    [1, 1],
  ])('keeps of a burst of %i what an edit takes, so that low has %i at once', async (burst, atOnce) => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 3600, burst });
    for (let index = 0; index <= burst; index++) take(rateLimiter, 'l', 1, 'low');
    expect(await happened()).toHaveLength(atOnce);
    // What is kept costs nothing: low continues as fast as the bucket fills.
    await clock.advance(1000);
    expect(await happened()).toEqual(['l']);
  });

  test('rejects waiters whose wait is aborted, and only those', async () => {
    const rateLimiter = createRateLimiter(perSecond, 0);
    const waitSignal = new AbortController();
    const { signal } = new AbortController();
    const called = rateLimiter.acquire(1, { priority: 'low', signal, waitSignal: waitSignal.signal });
    take(rateLimiter, 'b', 1, 'low');
    waitSignal.abort();
    await expect(called).rejects.toMatchObject({ code: 'stopped' });
    const late = rateLimiter.acquire(1, { priority: 'low', signal, waitSignal: waitSignal.signal });
    await expect(late).rejects.toMatchObject({ code: 'stopped' });
    await clock.advance(4000);
    expect(await happened()).toEqual(['b']);
  });

  test('gives low its turn after four high ones', async () => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 3600, burst: 1 }, 0);
    for (const label of ['l1', 'l2']) take(rateLimiter, label, 1, 'low');
    for (let index = 1; index <= 9; index += 1) take(rateLimiter, `h${index}`, 1, 'high');
    await clock.advance(11_000);
    expect(await happened()).toEqual(['h1', 'h2', 'h3', 'h4', 'l1', 'h5', 'h6', 'h7', 'h8', 'l2', 'h9']);
  });

  test('counts only high ones that overtake', async () => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 3600, burst: 1 }, 0);
    for (let index = 1; index <= 4; index += 1) take(rateLimiter, `h${index}`, 1, 'high');
    await clock.advance(3000);
    take(rateLimiter, 'l1', 1, 'low');
    for (let index = 5; index <= 8; index += 1) take(rateLimiter, `h${index}`, 1, 'high');
    await clock.advance(6000);
    expect(await happened()).toEqual(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'l1', 'h8']);
  });

  test('takes a grant back from a caller that leaves in its tick', async () => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 3600, burst: 1 });
    const reservation = await rateLimiter.reserve(1, { priority: 'high', signal: new AbortController().signal });
    const life = new AbortController();
    take(rateLimiter, 'a', 1, 'high', life.signal);
    await settlePromises();
    reservation.release();
    life.abort();
    expect(await happened()).toEqual(['a:stopped']);
    take(rateLimiter, 'b', 1, 'high');
    expect(await happened()).toEqual(['b']);
  });

  test.each([
    ['high', 3000],
    ['low', 6000],
  ] as const)('does not block when %s needs more than the burst', async (priority, nextAfterMs) => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 3600, burst: 4 });
    take(rateLimiter, 'big', 6, priority);
    take(rateLimiter, 'next', 1, priority);
    expect(await happened()).toEqual([]);
    await clock.advance(2000);
    expect(await happened()).toEqual(['big']);
    await clock.advance(nextAfterMs - 1);
    expect(await happened()).toEqual([]);
    await clock.advance(1);
    expect(await happened()).toEqual(['next']);
  });

  test('grants at most the limit of an hour at once', async () => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 3, burst: 2 });
    const granted = rateLimiter.acquire(100, { priority: 'high', signal: new AbortController().signal });
    await clock.advance(hourMs);
    expect(await granted).toBe(5);
  });

  test('grants the next waiter when the first one aborts', async () => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 3600, burst: 4 }, 1);
    const life = new AbortController();
    take(rateLimiter, 'big', 4, 'high', life.signal);
    take(rateLimiter, 'small', 1, 'high');
    expect(await happened()).toEqual([]);
    life.abort();
    expect(await happened()).toEqual(['big:stopped', 'small']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('applies new limits at once and keeps the tokens in the bucket', async () => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 1, burst: 1 }, 0);
    take(rateLimiter, 'a', 1, 'high');
    await clock.advance(hourMs / 2);
    rateLimiter.update({ requestsPerHour: 3600, burst: 1 });
    await clock.advance(499);
    expect(await happened()).toEqual([]);
    await clock.advance(1);
    expect(await happened()).toEqual(['a']);
    rateLimiter.update({ requestsPerHour: 3600, burst: 10 });
    take(rateLimiter, 'b', 1, 'high');
    expect(await happened()).toEqual([]);
  });

  test('returns unused reserved requests', async () => {
    const rateLimiter = createRateLimiter({ requestsPerHour: 1, burst: 4 });
    const reservation = await rateLimiter.reserve(3, { priority: 'high', signal: new AbortController().signal });
    expect(reservation.use()).toBe(true);
    take(rateLimiter, 'a', 2, 'high');
    expect(await happened()).toEqual([]);
    reservation.release();
    reservation.release();
    expect(await happened()).toEqual(['a']);
    expect(reservation.use()).toBe(false);
    take(rateLimiter, 'b', 2, 'high');
    expect(await happened()).toEqual([]);
  });

  test('rejects every waiter when it stops', async () => {
    const rateLimiter = createRateLimiter(perSecond, 0);
    take(rateLimiter, 'a', 1, 'low');
    await settlePromises();
    rateLimiter.stop();
    expect(await happened()).toEqual(['a:stopped']);
    take(rateLimiter, 'b', 1, 'low');
    expect(await happened()).toEqual(['b:stopped']);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a pause', () => {
  const limits = { requestsPerHour: 3600, burst: 4 };

  test('rejects waiters and new calls, with the time that is left', async () => {
    const rateLimiter = createRateLimiter(limits, 0);
    take(rateLimiter, 'waiting', 1, 'low');
    await settlePromises();
    rateLimiter.throttleFor(60_000);
    await clock.advance(20_000);
    await expect(
      rateLimiter.acquire(1, { priority: 'high', signal: new AbortController().signal }),
    ).rejects.toMatchObject({ code: 'service-busy', retryAfterMs: expect.closeTo(40_000) });
    expect(await happened()).toEqual(['waiting:service-busy']);
  });

  test('ends at its time, and not earlier because of a shorter one', async () => {
    const rateLimiter = createRateLimiter(limits);
    rateLimiter.throttleFor(60_000);
    rateLimiter.throttleFor(1000);
    await clock.advance(59_999);
    expect(() => rateLimiter.throwIfThrottled()).toThrow('throttling');
    await clock.advance(1);
    expect(() => rateLimiter.throwIfThrottled()).not.toThrow();
    take(rateLimiter, 'a', 1, 'low');
    expect(await happened()).toEqual(['a']);
  });

  test('ignores steps of the wall clock', async () => {
    const rateLimiter = createRateLimiter(limits);
    rateLimiter.throttleFor(60_000);
    for (const stepMs of [-hourMs, 2 * hourMs]) {
      clock.stepWall(stepMs);
      expect(() => rateLimiter.throwIfThrottled()).toThrow(expect.objectContaining({ retryAfterMs: 60_000 }));
    }
  });

  test('that is already over rejects no waiter', async () => {
    const rateLimiter = createRateLimiter(limits, 0);
    take(rateLimiter, 'a', 1, 'high');
    rateLimiter.throttleFor(-1);
    await clock.advance(1000);
    expect(await happened()).toEqual(['a']);
  });
});
