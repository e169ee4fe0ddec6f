// The release of the dismissals of a deleted connection to the millisecond: how a scope or the connection that fails backs off, and what ends the
// reactivation.
import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import { sleep } from '../../../src/lib/clock.ts';
import { StoppedError } from '../../../src/lib/errors.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import type { ErrorCode } from '../../support/builders/errors.ts';
import { prodFields } from '../../support/builders/objects.ts';
import { ReactivationRig } from '../../support/rigs/reactivation-rig.ts';

const second = 1000;
const minuteMs = 60 * second;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const notYet = 'alerts not re-activated yet, their connection was deleted';
const never = 'alerts not re-activated, their connection was deleted';
const reactivated = 'alert re-activated, its connection was deleted';

const names = (count: number) => Array.from({ length: count }, (_, index) => `A${index}`);
const gapsOf = (times: readonly number[]) => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));

const onAbort = (signal: AbortSignal, reject: (error: Error) => void) =>
  signal.addEventListener('abort', () => reject(new StoppedError('as the client does it')));

/** A rig at whose scope `s` an alert `A` was deactivated, and every request fails. */
function failing(code: ErrorCode, ...alerts: string[]): ReactivationRig {
  const rig = new ReactivationRig().deactivated('s', 'A', ...alerts);
  rig.broken.set('s', code);
  return rig;
}

describe('a scope that fails', () => {
  test.each<[number, number]>([
    [0, 0.8],
    [0.5, 1],
    [0.75, 1.1],
  ])('is listed again after 1 s, 2 s, 4 s … up to 5 min, a fifth more or less', async (random, factor) => {
    const rig = failing('service-protocol');
    rig.random = () => random;
    rig.start();
    await rig.clock.advance(hourMs);
    const expected = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((each) => each * second * factor);
    const gaps = gapsOf(rig.times('list s')).slice(0, expected.length);
    expect(gaps).toHaveLength(expected.length);
    for (const [index, gap] of gaps.entries()) expect(gap).toBeCloseTo(expected[index] ?? 0, 5);
  });

  test('is logged once for each kind of failure in a row, with what is left', async () => {
    const rig = failing('service-protocol', 'B');
    rig.start();
    await rig.clock.advance(10 * second);
    expect(rig.logged).toEqual([
      {
        level: 'error',
        message: notYet,
        facts: {
          ...prodFields,
          scope: 's',
          alerts: ['A', 'B'],
          code: 'service-protocol',
          error: 'made to fail',
          detail: 'why',
          delayMs: second,
        },
      },
    ]);
    rig.broken.set('s', 'scope-forbidden');
    await rig.clock.advance(10 * minuteMs);
    expect(rig.logged.map(({ facts }) => facts['code'])).toEqual(['service-protocol', 'scope-forbidden']);
  });

  test('begins anew with 1 s, and is logged anew, after a round that worked', async () => {
    const rig = failing('service-protocol');
    rig.doesStick = false;
    rig.start();
    await rig.clock.advance(10 * second);
    rig.broken.clear();
    await rig.clock.advance(second * 5);
    rig.broken.set('s', 'service-protocol');
    await rig.clock.advance(minuteMs);
    expect(rig.logged.map(({ facts }) => [facts['code'], facts['delayMs']])).toEqual([
      ['service-protocol', second],
      ['service-protocol', second],
    ]);
  });

  test('keeps no other one waiting by what concerns itself', async () => {
    const rig = failing('service-protocol').deactivated('t', 'B').start(1);
    await rig.clock.advance(0);
    expect(rig.what()).toEqual(['list s', 'list t', 'patch t B', 'list t']);
  });

  test('with 404 is given up after a day, and ends the reactivation', async () => {
    const rig = failing('scope-not-found').start();
    await rig.clock.advance(2 * dayMs);
    expect(rig.times('list s')).toEqual(Array.from({ length: 73 }, (_, round) => round * 20 * minuteMs));
    expect(rig.messages()).toEqual([notYet, 'dismissal dropped, its alert is gone']);
    expect([rig.hasEnded, rig.clock.pendingTimers]).toEqual([true, 0]);
  });
});

describe('what concerns the connection', () => {
  test('keeps all scopes waiting until one may try again', async () => {
    const rig = failing('service-unreachable').deactivated('t', 'B');
    rig.broken.set('t', 'service-unreachable');
    rig.start(1);
    await rig.clock.advance(0);
    expect(rig.what()).toEqual(['list s']);
    await rig.clock.advance(second);
    expect(rig.requests.map(({ atMs }) => atMs)).toEqual([0, second]);
    await rig.clock.advance(hourMs);
    // Together they are no more than one that backs off: 1 s, 2 s, 4 s … up to 5 min.
    const times = rig.requests.map(({ atMs }) => atMs);
    expect(gapsOf(times).slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 64, 128].map((each) => each * second));
  });

  test('keeps no scope waiting for ever that the service serves, even one at a time', async () => {
    const rig = failing('service-unreachable').deactivated('t', 'B');
    const random = seededRandom(1);
    rig.random = () => random.next();
    rig.start(1);
    await rig.clock.advance(minuteMs);
    expect(rig.times('patch t B')).toHaveLength(1);
  });

  test('ends with the first round that works: the next failure waits 1 s again', async () => {
    const rig = failing('service-unreachable').deactivated('t', 'B');
    rig.doesStick = false;
    rig.broken.set('t', 'service-unreachable');
    rig.start(1);
    await rig.clock.advance(20 * second);
    rig.broken.clear();
    await rig.clock.advance(20 * second);
    rig.broken.set('s', 'service-unreachable').set('t', 'service-unreachable');
    const before = rig.requests.length;
    await rig.clock.advance(2 * minuteMs);
    expect(gapsOf(rig.requests.slice(before).map(({ atMs }) => atMs)).slice(0, 3)).toEqual([1000, 2000, 4000]);
  });

  test('is waited for as long as the service asks, by all, and not jittered', async () => {
    const rig = failing('service-busy').deactivated('t', 'B');
    rig.random = () => 0;
    rig.retryAfterMs = 10 * minuteMs;
    rig.start(1);
    await rig.clock.advance(10 * minuteMs - 1);
    expect(rig.what()).toEqual(['list s']);
    rig.broken.clear();
    await rig.clock.advance(1);
    expect(rig.what().length).toBeGreaterThan(2);
    expect(rig.logged[0]?.facts).toMatchObject({ code: 'service-busy', delayMs: 10 * minuteMs });
  });

  test('is not waited for shorter because another scope failed later and waits less', async () => {
    const rig = failing('service-busy').deactivated('t', 'B');
    rig.retryAfterMs = 10 * minuteMs;
    rig.broken.set('t', 'service-unreachable');
    rig.during = (what) => (what === 'list t' ? sleep(rig.clock, second) : Promise.resolve());
    rig.start(2);
    await rig.clock.advance(10 * minuteMs - 1);
    expect(rig.what()).toEqual(['list s', 'list t']);
  });

  test('does not ask for a credential as often as a reconcile does', async () => {
    const rig = failing('credential-missing').start();
    await rig.clock.advance(hourMs);
    expect(gapsOf(rig.times('list s')).slice(0, 10)).toEqual(
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((each) => each * second),
    );
  });
});

describe('the reactivation ends', () => {
  test('after a week, and logs what is left', async () => {
    const rig = failing('service-protocol').start();
    await rig.clock.advance(7 * dayMs - 1);
    expect([rig.hasEnded, rig.messages()]).toEqual([false, [notYet]]);
    const sent = rig.requests.length;
    await rig.clock.advance(5 * minuteMs);
    expect([rig.hasEnded, rig.requests.length, rig.clock.pendingTimers]).toEqual([true, sent, 0]);
    expect(rig.logged[1]).toEqual({
      level: 'error',
      message: never,
      facts: { ...prodFields, scope: 's', alerts: ['A'] },
    });
    expect(rig.logged).toHaveLength(2);
  });

  test('and names only what the last list showed inactive', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A', 'B', 'C');
    rig.failures.set('patch s A', Array(3000).fill('alert-refused'));
    rig.start();
    await rig.clock.advance(minuteMs);
    rig.asked.abort();
    await rig.clock.advance(0);
    expect(rig.hasEnded).toBe(true);
    expect(rig.logged.at(-1)).toMatchObject({ message: never, facts: { alerts: ['A'] } });
  });

  test('without a word about scopes at which nothing is inactive', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A').start();
    await rig.clock.advance(second);
    rig.asked.abort();
    await rig.clock.advance(0);
    expect([rig.hasEnded, rig.messages()]).toEqual([true, [reactivated]]);
  });

  test('at once where the ledger is empty', async () => {
    const rig = new ReactivationRig().start();
    await rig.clock.advance(0);
    expect([rig.hasEnded, rig.requests, rig.clock.pendingTimers]).toEqual([true, [], 0]);
  });

  test('when a stop asks for it, after the round that is in progress and those that follow at once', async () => {
    const rig = new ReactivationRig().deactivated('s', ...names(10));
    rig.during = () => sleep(rig.clock, second);
    rig.start();
    rig.asked.abort();
    await rig.clock.advance(12 * second);
    expect(rig.hasEnded).toBe(false);
    await rig.clock.advance(2 * second);
    expect([rig.hasEnded, rig.counted.length]).toEqual([true, 10]);
  });

  test('when a stop asks for it, after the lists that are due within two seconds of one another', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A');
    rig.doesStick = false;
    rig.start();
    await rig.clock.advance(0);
    rig.asked.abort();
    await rig.clock.advance(second);
    expect([rig.hasEnded, rig.times('list s')]).toEqual([false, [0, 0, second]]);
    await rig.clock.advance(2 * second);
    expect([rig.hasEnded, rig.times('list s')]).toEqual([true, [0, 0, second, 3 * second]]);
  });

  test('when it is cut off, in the middle of a PATCH, which is not counted as failed', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A', 'B');
    rig.during = (what, signal) =>
      what === 'patch s A' ? new Promise((_, reject) => onAbort(signal, reject)) : Promise.resolve();
    rig.start();
    await rig.clock.advance(0);
    rig.asked.abort();
    await rig.clock.advance(second);
    expect(rig.hasEnded).toBe(false);
    rig.cut.abort();
    await rig.clock.advance(0);
    expect([rig.hasEnded, rig.what(), rig.counted]).toEqual([true, ['list s', 'patch s A'], []]);
    expect(rig.logged).toEqual([
      { level: 'error', message: never, facts: { ...prodFields, scope: 's', alerts: ['A', 'B'] } },
    ]);
  });

  test('after a week to the millisecond, without one more list', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A');
    rig.doesStick = false;
    rig.start();
    await rig.clock.advance(7 * dayMs - 1);
    const sent = rig.requests.length;
    expect([rig.hasEnded, rig.times('patch s A').at(-1)]).toEqual([false, 7 * dayMs - 7 * minuteMs]);
    await rig.clock.advance(1);
    expect([rig.hasEnded, rig.requests.length]).toEqual([true, sent]);
  });

  test.each(['asked', 'cut'] as const)(
    'not before what is in progress, however late it began, when it is %s',
    async (how) => {
      const rig = failing('service-protocol', 'B').start();
      await rig.clock.advance(10 * minuteMs);
      rig.broken.clear();
      let end = () => {};
      let isCutOff = () => false;
      rig.during = (what, signal) => {
        isCutOff = () => signal.aborted;
        return what === 'patch s A' ? new Promise((resolve) => (end = resolve)) : Promise.resolve();
      };
      await rig.clock.advance(5 * minuteMs);
      rig[how].abort();
      await rig.clock.advance(second);
      expect([rig.times('patch s A').length, rig.hasEnded, isCutOff()]).toEqual([1, false, how === 'cut']);
      end();
      await rig.clock.advance(5 * minuteMs);
      // What is asked to end sends what is due; what is cut off sends nothing more.
      expect([rig.hasEnded, rig.counted.length, rig.times('patch s B').length]).toEqual(
        how === 'cut' ? [true, 1, 0] : [true, 2, 1],
      );
    },
  );

  test('and leaves nothing on the signals of the process', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A').start();
    await rig.clock.advance(hourMs);
    expect(rig.hasEnded).toBe(true);
    for (const { signal } of [rig.asked, rig.cut]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
