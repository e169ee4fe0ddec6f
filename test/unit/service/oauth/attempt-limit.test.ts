import { expect, test } from 'vitest';

import { createAttemptLimit } from '../../../../src/service/oauth/attempt-limit.ts';
import type { KnownCallers } from '../../../../src/service/oauth/known-callers.ts';
import { createMemoryAttemptCounters } from '../../../../src/service/oauth/memory-attempt-counters.ts';
import { createMemoryKnownCallers } from '../../../../src/service/oauth/memory-known-callers.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const start = () => {
  const clock = handClock();
  const counters = createMemoryAttemptCounters(clock);
  const bounds = { wrongByAddress: 2, wrongByName: 5, wrongFromAddress: 8 };
  const known = createMemoryKnownCallers();
  return { clock, counters, known, attempts: createAttemptLimit('password', bounds, counters, known) };
};
const from = (address: string | undefined, name = 'ada') => ({ name, address });

test('an address has to wait after its own tries, a name after those of all addresses, until the minute is over', () => {
  const { clock, attempts } = start();
  for (const address of ['a', 'a', 'b', 'b']) void attempts.noteFailure(from(address));
  expect(['a', 'b', 'c'].map((address) => attempts.isClosed(from(address)))).toEqual([true, true, false]);
  void attempts.noteFailure(from('c'));
  expect([attempts.isClosed(from('d')), attempts.isClosed(from('d', 'bob'))]).toEqual([true, false]);
  clock.advance(59_999);
  expect(attempts.isClosed(from('a'))).toBe(true);
  clock.advance(1);
  expect(attempts.isClosed(from('a'))).toBe(false);
});

test('a refused attempt counts nowhere, so an address that has to wait cannot close a name for the others', () => {
  const { attempts } = start();
  const counted = Array.from({ length: 20 }, () => attempts.noteFailure(from('a')));
  expect(counted.filter(Boolean)).toHaveLength(2);
  expect([attempts.isClosed(from('b')), attempts.isClosed(from('a', 'bob'))]).toEqual([false, false]);
});

test('a right one is forgotten, and with it what its address tried before', () => {
  const { attempts } = start();
  for (let round = 0; round < 20; round++) {
    const attempt = from('a');
    void attempts.noteFailure(attempt);
    void attempts.forget(attempt);
  }
  expect(attempts.isClosed(from('a'))).toBe(false);
});

test('an address has to wait after its tries with many names, but not with a name that was right there', () => {
  const { attempts } = start();
  void attempts.noteSuccess(from('a'));
  for (let name = 0; name < 8; name++) void attempts.noteFailure(from('a', `name-${name}`));
  const asked = [from('a', 'bob'), from('a'), from('b', 'bob'), from('b')];
  expect(asked.map((attempt) => attempts.isClosed(attempt))).toEqual([true, false, false, false]);
});

test('a name that many addresses try has to wait, but not at an address where it was right', () => {
  const { attempts } = start();
  void attempts.noteSuccess(from('home'));
  for (const address of ['a', 'b', 'c']) {
    for (let round = 0; round < 2; round++) void attempts.noteFailure(from(address));
  }
  expect(['home', 'd'].map((address) => attempts.isClosed(from(address)))).toEqual([false, true]);
});

test('a name that was right at an address in another process is open there, once that is asked for', async () => {
  const { counters } = start();
  const keys = new Set<string>();
  let asked = 0;
  const known: KnownCallers = {
    has: (key) => keys.has(key),
    add: (key) => void keys.add(key),
    async refresh() {
      asked += 1;
      await attempts.noteSuccess(from('home'));
    },
  };
  const attempts = createAttemptLimit('password', { wrongByAddress: 2, wrongByName: 2 }, counters, known);
  void attempts.noteFailure(from('a'));
  expect([attempts.isClosed(from('home')), asked]).toEqual([false, 0]);
  void attempts.noteFailure(from('b'));
  expect([await attempts.isClosed(from('home')), await attempts.isClosed(from('b')), asked]).toEqual([false, true, 2]);
});

test('a name that was right at an address is closed there by its own failures', () => {
  const { attempts } = start();
  void attempts.noteSuccess(from('a'));
  for (let round = 0; round < 2; round++) void attempts.noteFailure(from('a'));
  expect(attempts.isClosed(from('a'))).toBe(true);
});

test('names that concatenate with an address to the same text are distinguished, and a missing address counts as one', () => {
  const { attempts } = start();
  for (let round = 0; round < 2; round++) void attempts.noteFailure({ name: 'a', address: undefined });
  expect(attempts.isClosed({ name: 'a', address: undefined })).toBe(true);
  expect(attempts.isClosed({ name: 'a', address: 'x' })).toBe(false);
});

test('one kind of credential does not close another', () => {
  const { attempts, counters, known } = start();
  const others = createAttemptLimit('client-secret', { wrongByAddress: 2 }, counters, known);
  for (let round = 0; round < 2; round++) void attempts.noteFailure(from('a'));
  expect([attempts.isClosed(from('a')), others.isClosed(from('a'))]).toEqual([true, false]);
});
