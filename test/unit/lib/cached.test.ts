// One value for many callers: when it is loaded, by whom, and what a failure leaves.
import { beforeEach, describe, expect, test } from 'vitest';

import { Cached, type CachedOptions } from '../../../src/lib/cached.ts';
import { LocalError } from '../../../src/lib/command-errors.ts';
import { type CodedError, isCoded } from '../../../src/lib/errors.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const signal = new AbortController().signal;
const failing = () => Promise.reject(new LocalError('no'));
let clock: ManualClock;
let load: (signal: AbortSignal) => Promise<string>;
let loads: number;
let kept: string[];
let cached: Cached<string>;

beforeEach(() => {
  clock = new ManualClock();
  loads = 0;
  load = async () => `v${loads}`;
  kept = [];
  cached = open({});
});

function counted(loadSignal: AbortSignal): Promise<string> {
  loads += 1;
  return load(loadSignal);
}

/** Stale after ten seconds; a failure counts for one second, then for two, then for three. */
function open(options: Partial<CachedOptions<string>>): Cached<string> {
  return new Cached({
    clock,
    load: async (loadSignal) => ({ value: await counted(loadSignal), staleAtMs: clock.monotonic() + 10_000 }),
    deadlineMs: 5000,
    late: () => new Error('late'),
    toFailure: (error) => (isCoded(error) ? error : new LocalError(`wrapped ${(error as Error).message}`)),
    longestHoldMs: 3000,
    isKeptAfter: () => false,
    onKept: (failure) => kept.push(failure.message),
    ...options,
  });
}

const current = () => cached.current(signal).catch((error: CodedError) => error.message);

/** A load that ends when the test says so. */
function pending() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  load = () => promise;
  return { resolve, reject };
}

describe('a value', () => {
  test('is loaded once for all callers, and is there at once until it is stale', async () => {
    expect(await Promise.all([current(), current(), current()])).toEqual(['v1', 'v1', 'v1']);
    await clock.advance(9999);
    expect([await current(), loads]).toEqual(['v1', 1]);
    await clock.advance(1);
    expect(await current()).toBe('v2');
  });

  test('is loaded for the callers that remain when the first one aborts', async () => {
    const { resolve } = pending();
    const life = new AbortController();
    const first = cached.current(life.signal);
    const second = current();
    life.abort();
    await expect(first).rejects.toMatchObject({ code: 'stopped' });
    await expect(cached.current(life.signal)).rejects.toMatchObject({ code: 'stopped' });
    resolve('value');
    expect([await second, loads]).toEqual(['value', 1]);
  });

  test('is loaded again for the next caller after it was expired, once', async () => {
    await current();
    cached.expire();
    cached.expire();
    expect([await current(), await current()]).toEqual(['v2', 'v2']);
  });

  test('is loaded again when it was expired during its load', async () => {
    const { resolve } = pending();
    const first = current();
    cached.expire();
    resolve('old');
    expect(await first).toBe('old');
    load = async () => 'new';
    expect(await current()).toBe('new');
  });

  test('is not used after it was dropped, but what is being loaded is', async () => {
    await current();
    cached.drop();
    expect(cached.value).toBeUndefined();
    expect(await current()).toBe('v2');
    await clock.advance(10_000);
    const { resolve } = pending();
    const next = current();
    cached.drop();
    resolve('next');
    expect([await next, await current(), loads]).toEqual(['next', 'next', 3]);
  });
});

describe('a load', () => {
  test('that fails is repeated when its hold ends; each failure in a row is held for longer', async () => {
    load = failing;
    for (const [count, holdMs] of [1000, 2000, 3000].entries()) {
      expect(await current()).toBe('no');
      await clock.advance(holdMs - 1);
      expect([await current(), loads]).toEqual(['no', count + 1]);
      await clock.advance(1);
    }
    load = async () => 'back';
    expect(await current()).toBe('back');
    await clock.advance(10_000);
    load = failing;
    await current();
    load = async () => 'back again';
    await clock.advance(1000);
    expect(await current()).toBe('back again');
  });

  test('that fails ends the use of the value before', async () => {
    await current();
    cached.expire();
    load = failing;
    expect([await current(), cached.value, kept]).toEqual(['no', undefined, []]);
  });

  test('that fails leaves the value in use when the failure proves nothing, and is repeated after the hold', async () => {
    cached = open({ isKeptAfter: () => true });
    await current();
    cached.expire();
    load = failing;
    expect([await current(), await current(), loads, kept]).toEqual(['v1', 'v1', 2, ['no']]);
    await clock.advance(1000);
    load = async () => 'back';
    expect(await current()).toBe('back');
  });
});

describe('a value that is served stale', () => {
  beforeEach(() => {
    cached = open({
      load: async (loadSignal) => {
        const nowMs = clock.monotonic();
        return { value: await counted(loadSignal), staleAtMs: nowMs + 10_000, endsAtMs: nowMs + 12_000 };
      },
      isKeptAfter: () => true,
      isServedStale: true,
    });
  });

  test('is loaded in the background', async () => {
    await current();
    await clock.advance(10_000);
    expect([await current(), await current()]).toEqual(['v1', 'v1']);
    await clock.advance(0);
    expect([await current(), loads]).toEqual(['v2', 2]);
  });

  test('ends when it says so, even while a failure is held', async () => {
    await current();
    await clock.advance(11_500);
    load = failing;
    expect(await current()).toBe('v1');
    await clock.advance(499);
    expect([await current(), kept]).toEqual(['v1', ['no']]);
    await clock.advance(1);
    expect([await current(), loads]).toEqual(['no', 2]);
  });
});
