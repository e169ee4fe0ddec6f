import { expect, test } from 'vitest';

import { createAttemptLimit } from '../../../../src/service/oauth/attempt-limit.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const start = () => {
  const clock = handClock();
  return { clock, attempts: createAttemptLimit({ ofName: 2, ofNetwork: 8 }, clock) };
};
const from = (address: string | undefined, name = 'ada') => ({ name, address });

test('a name has to wait where it failed, until the minute is over, and nowhere else', () => {
  const { clock, attempts } = start();
  for (const address of ['a', 'a', 'b']) attempts.noteFailure(from(address));
  expect(['a', 'b'].map((address) => attempts.isClosed(from(address)))).toEqual([true, false]);
  expect(attempts.isClosed(from('a', 'bob'))).toBe(false);
  clock.advance(59_999);
  expect(attempts.isClosed(from('a'))).toBe(true);
  clock.advance(1);
  expect(attempts.isClosed(from('a'))).toBe(false);
  expect([attempts.noteFailure(from('a')), attempts.isClosed(from('a'))]).toEqual([true, false]);
});

test('a refused attempt counts nowhere', () => {
  const { attempts } = start();
  const counted = Array.from({ length: 20 }, () => attempts.noteFailure(from('a')));
  expect(counted.filter(Boolean)).toHaveLength(2);
  expect([attempts.isClosed(from('b')), attempts.isClosed(from('a', 'bob'))]).toEqual([false, false]);
});

test('a right one takes back what its name has failed from its network', () => {
  const { attempts } = start();
  for (let round = 0; round < 20; round++) {
    const attempt = from('a', `name-${round}`);
    attempts.noteFailure(attempt);
    attempts.noteSuccess(attempt);
  }
  expect([attempts.isClosed(from('a', 'name-0')), attempts.isClosed(from('a', 'other'))]).toEqual([false, false]);
});

test('a right one takes back nothing that other names have failed', () => {
  const { attempts } = start();
  for (let name = 0; name < 8; name++) attempts.noteFailure(from('a', `name-${name}`));
  attempts.noteSuccess(from('a'));
  expect([attempts.isClosed(from('a', 'bob')), attempts.isClosed(from('a'))]).toEqual([true, false]);
});

test('a name that was right from a network is closed there by its own failures, which close no other', () => {
  const { attempts } = start();
  attempts.noteSuccess(from('a'));
  for (let round = 0; round < 20; round++) attempts.noteFailure(from('a'));
  expect([attempts.isClosed(from('a')), attempts.isClosed(from('a', 'bob'))]).toEqual([true, false]);
});

test('without a bound of a name, only networks have to wait', () => {
  const attempts = createAttemptLimit({ ofNetwork: 3 }, handClock());
  attempts.noteSuccess(from('a'));
  for (let round = 0; round < 5; round++) {
    attempts.noteFailure(from('a'));
    attempts.noteFailure(from('b'));
  }
  expect([attempts.isClosed(from('a')), attempts.isClosed(from('a', 'bob')), attempts.isClosed(from('b'))]).toEqual([
    false,
    false,
    true,
  ]);
});

test('names that concatenate with an address to the same text are distinguished, and a missing address counts as one', () => {
  const { attempts } = start();
  for (let round = 0; round < 2; round++) attempts.noteFailure({ name: 'a', address: undefined });
  expect(attempts.isClosed({ name: 'a', address: undefined })).toBe(true);
  expect(attempts.isClosed({ name: 'a', address: 'x' })).toBe(false);
});

test('ten thousand newer keys make a key room, and not fewer', () => {
  const { attempts } = start();
  for (let round = 0; round < 2; round++) attempts.noteFailure(from('victim'));
  for (let each = 0; each < 10_000; each++) attempts.noteFailure(from(`n${each}`));
  expect(attempts.isClosed(from('victim'))).toBe(true);
  attempts.noteFailure(from('one more'));
  expect(attempts.isClosed(from('victim'))).toBe(false);
});

test('a reset forgets failures and successes', () => {
  const { attempts } = start();
  attempts.noteSuccess(from('a', 'bob'));
  for (let round = 0; round < 2; round++) attempts.noteFailure(from('a'));
  attempts.reset();
  expect(attempts.isClosed(from('a'))).toBe(false);
  for (let name = 0; name < 8; name++) attempts.noteFailure(from('a', `name-${name}`));
  expect(attempts.isClosed(from('a', 'bob'))).toBe(true);
});
