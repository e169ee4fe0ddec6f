// Waits: with a time limit, until a stop, for a permit, and in a process that has nothing else to do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

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

const clockFile = JSON.stringify(new URL('../../../src/lib/clock.ts', import.meta.url).href);

/** The exit code of a program that sleeps on the system clock, whose timers do not keep a process alive. */
async function exitCodeOf(wait: string): Promise<unknown> {
  const program = `
    const { keepProcessAlive, sleep, systemClock } = await import(${clockFile});
    await ${wait};
    process.exit(7);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [unknown];
  return code;
}

test('a process that waits for something stays alive until it has settled', async () => {
  expect(await exitCodeOf('keepProcessAlive(() => sleep(systemClock, 20))')).toBe(7);
});

test('without that it ends in the middle of its wait', async () => {
  expect(await exitCodeOf('sleep(systemClock, 20)')).not.toBe(7);
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
