// When a round over the scopes of a connection is complete.
import { expect, test } from 'vitest';

import { Rounds } from '../../../src/controller/rounds.ts';

function joined(...scopes: readonly string[]): Rounds {
  const rounds = new Rounds();
  for (const scope of scopes) rounds.join(scope);
  return rounds;
}

test('a round is complete once every scope was served, however often one of them was', () => {
  const rounds = joined('a', 'b', 'a');
  expect([rounds.scopes, rounds.isFirst]).toEqual([2, true]);
  expect([rounds.served('a'), rounds.served('a'), rounds.isFirst]).toEqual([false, false, true]);
  expect([rounds.served('b'), rounds.isFirst]).toEqual([true, false]);
  expect([rounds.served('b'), rounds.served('a')]).toEqual([false, true]);
});

test('a scope that joins extends the round, and may be served at once', () => {
  const rounds = joined('a');
  rounds.join('b');
  expect([rounds.served('a'), rounds.served('c'), rounds.served('b')]).toEqual([false, false, true]);
});

test('a scope that leaves does not delay the round', () => {
  const rounds = joined('a', 'b', 'c');
  expect([rounds.served('a'), rounds.served('b')]).toEqual([false, false]);
  rounds.leave('c');
  rounds.leave('never there');
  expect(rounds.served('a')).toBe(true);
  rounds.leave('a');
  expect(rounds.served('b')).toBe(true);
});

test('a scope that comes back has to be served again', () => {
  const rounds = joined('a', 'b');
  rounds.served('a');
  rounds.leave('a');
  rounds.join('a');
  expect([rounds.served('b'), rounds.served('a')]).toEqual([false, true]);
});
