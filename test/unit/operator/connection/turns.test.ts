// The scopes of a connection: whose turn a trial is, and when a round is complete.
import { expect, test } from 'vitest';

import { seededRandom } from '../../../../src/lib/random.ts';
import { Turns } from '../../../../src/operator/connection/runtime.ts';

function joined(...scopes: string[]): Turns {
  const turns = new Turns();
  for (const scope of scopes) turns.join(scope);
  return turns;
}

test('a round is complete when each scope was tried', () => {
  const turns = joined('a', 'b', 'a');
  expect([turns.size, turns.ended('a'), turns.ended('a'), turns.rounds]).toEqual([2, false, false, 0]);
  expect([turns.ended('b'), turns.rounds]).toEqual([true, 1]);
  expect([turns.ended('b'), turns.ended('a'), turns.rounds]).toEqual([false, true, 2]);
});

test('a scope that joins during a round has its turn in it, one that leaves is not waited for', () => {
  const turns = joined('a', 'b');
  turns.ended('a');
  turns.join('a');
  turns.join('c');
  turns.leave('b');
  expect([turns.size, turns.ended('c')]).toEqual([2, true]);
});

test('those that were not tried in this round come first, by chance', () => {
  const turns = joined('tried', 'b', 'c', 'd');
  turns.ended('tried');
  const random = seededRandom(1);
  const orders = Array.from({ length: 30 }, () => turns.inTrialOrder(random));
  expect(orders.every((order) => order.length === 4 && order[3] === 'tried')).toBe(true);
  expect(new Set(orders.map(([first]) => first)).size).toBe(3);
});
