import { expect, test } from 'vitest';

import { createMemoryAttemptCounters } from '../../../../src/service/oauth/memory-attempt-counters.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const start = (most?: number) => {
  const clock = handClock();
  return { clock, counters: createMemoryAttemptCounters(clock, most) };
};
const key = (name: string, bound = 3) => [{ key: name, bound }];

test('a flood of new keys never lowers the count of another one, and the table stays within its size', () => {
  const { counters } = start(100);
  for (let failure = 0; failure < 3; failure++) void counters.count(key('guessed'));
  for (let name = 0; name < 10_000; name++) void counters.count(key(`invented-${name}`, 1_000_000));
  expect([counters.isClosed(key('guessed')), counters.size]).toEqual([true, 100]);
});

test('a key that had to make room comes back with at least its count', () => {
  const { counters } = start(2);
  for (let failure = 0; failure < 2; failure++) void counters.count(key('guessed'));
  for (const name of ['a', 'b', 'c']) {
    for (let failure = 0; failure < 3; failure++) void counters.count(key(name));
  }
  void counters.count(key('guessed'));
  expect(counters.isClosed(key('guessed'))).toBe(true);
});

test('a key that never failed is open in a table full of others, unless each of them failed as often as its bound', () => {
  const { counters } = start(100);
  for (let name = 0; name < 1000; name++) void counters.count(key(`invented-${name % 150}`, 1_000_000));
  expect([counters.isClosed(key('new', 20)), counters.isClosed(key('new', 5))]).toEqual([false, true]);
});

test('a minute after a flood, a key that never failed starts at zero again', () => {
  const { counters, clock } = start(2);
  for (let name = 0; name < 100; name++) void counters.count(key(`invented-${name}`, 1_000_000));
  expect(counters.isClosed(key('new'))).toBe(true);
  clock.advance(60_000);
  expect([counters.isClosed(key('new')), counters.size]).toEqual([false, 0]);
});

test('a window ends a minute after its first failure, whatever came later', () => {
  const { counters, clock } = start();
  void counters.count(key('a', 2));
  clock.advance(30_000);
  void counters.count(key('a', 2));
  void counters.count(key('b', 1));
  clock.advance(29_999);
  expect([counters.isClosed(key('a', 2)), counters.isClosed(key('b', 1))]).toEqual([true, true]);
  clock.advance(1);
  expect([counters.isClosed(key('a', 2)), counters.isClosed(key('b', 1))]).toEqual([false, true]);
});

test('nothing counts when one key of several has reached its bound', () => {
  const { counters } = start();
  void counters.count(key('a', 1));
  expect(counters.count([...key('b', 1), ...key('a', 1)])).toBe(false);
  expect(counters.isClosed(key('b', 1))).toBe(false);
});

test('failures that are taken back, or forgotten, no longer count', () => {
  const { counters } = start();
  for (let failure = 0; failure < 3; failure++) void counters.count([...key('a'), ...key('b')]);
  void counters.takeBack(['a', 'never counted']);
  void counters.forget('b');
  expect([counters.isClosed(key('a')), counters.isClosed(key('a', 2)), counters.isClosed(key('b', 1))]).toEqual([
    false,
    true,
    false,
  ]);
  expect(counters.size).toBe(1);
});
