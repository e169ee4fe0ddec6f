// How often a failure that lasts is logged.
import { expect, it } from 'vitest';

import {
  connectionStreakAfter,
  extended,
  failureOf,
  isLogged,
  levelOf,
  noStreak,
} from '../../../../src/operator/decide/failures.ts';
import { errorOf } from '../../../support/builders/errors.ts';

const missing = failureOf(errorOf('credential-missing', 'any', {}));
const forbidden = failureOf(errorOf('scope-forbidden', 'any', {}));

it('the first, second, fourth and eighth in a row are logged', () => {
  expect(Array.from({ length: 10 }, (_, index) => index + 1).filter(isLogged)).toEqual([1, 2, 4, 8]);
});

it('another cause begins a new streak', () => {
  const streak = extended(extended(noStreak, 'a'), 'a');
  expect([streak.count, extended(streak, 'b').count]).toEqual([2, 1]);
});

it('a list and a failure of one scope end the streak of the connection', () => {
  const streak = connectionStreakAfter(noStreak, missing);
  expect(streak).toEqual({ cause: 'SecretNotFound', count: 1 });
  expect([undefined, forbidden].map((failure) => connectionStreakAfter(streak, failure))).toEqual([noStreak, noStreak]);
});

it('what fails on every scope of a connection is repeated from its second scope on', () => {
  const first = { cause: 'any', count: 1 };
  const levelAfter = (count: number, failure = missing) =>
    levelOf({ connectionStreak: { cause: 'SecretNotFound', count } }, first, failure);
  expect([0, 1, 2, 3, 4].map((count) => levelAfter(count))).toEqual(['warn', 'warn', 'debug', 'warn', 'debug']);
  expect(levelAfter(2, forbidden)).toBe('warn');
  expect(levelOf({ connectionStreak: noStreak }, { cause: 'any', count: 3 }, forbidden)).toBe('debug');
});
