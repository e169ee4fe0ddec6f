import { expect, test } from 'vitest';

import { createAttemptLimit } from '../../../../src/service/oauth/attempt-limit.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const start = () => {
  const clock = handClock();
  return { clock, attempts: createAttemptLimit({ wrongByAddress: 2, wrongByName: 5 }, clock) };
};
const from = (address: string | undefined, name = 'ada') => ({ name, address });

test('an address has to wait after its own tries, a name after those of all addresses, until the minute is over', () => {
  const { clock, attempts } = start();
  for (const address of ['a', 'a', 'b', 'b']) attempts.noteFailure(from(address));
  expect(['a', 'b', 'c'].map((address) => attempts.isClosed(from(address)))).toEqual([true, true, false]);
  attempts.noteFailure(from('c'));
  expect([attempts.isClosed(from('d')), attempts.isClosed(from('d', 'bob'))]).toEqual([true, false]);
  clock.advance(59_999);
  expect(attempts.isClosed(from('a'))).toBe(true);
  clock.advance(1);
  expect(attempts.isClosed(from('a'))).toBe(false);
});

test('a right one is forgotten, and with it what its address tried before', () => {
  const { attempts } = start();
  for (let round = 0; round < 20; round++) {
    attempts.noteFailure(from('a'));
    attempts.forget(from('a'));
  }
  expect(attempts.isClosed(from('a'))).toBe(false);
});

test('names that concatenate with an address to the same text are distinguished, and a missing address counts as one', () => {
  const { attempts } = start();
  for (let round = 0; round < 2; round++) attempts.noteFailure({ name: 'a', address: undefined });
  expect(attempts.isClosed({ name: 'a', address: undefined })).toBe(true);
  expect(attempts.isClosed({ name: 'a', address: 'x' })).toBe(false);
});
