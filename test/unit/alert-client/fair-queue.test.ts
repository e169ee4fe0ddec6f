// Whose turn it is: high before low, first come first served, and a low waiter that was passed over four times goes next.
import { expect, test } from 'vitest';

import { FairQueue } from '../../../src/alert-client/fair-queue.ts';

function serveAll(line: FairQueue<string>): string[] {
  const served: string[] = [];
  for (let turn = line.peek(); turn; turn = line.peek()) {
    served.push(turn.isUrgent && turn.waiter.startsWith('l') ? `${turn.waiter}!` : turn.waiter);
    line.dequeue(turn);
  }
  return served;
}

function lineOf(...waiters: string[]): FairQueue<string> {
  const line = new FairQueue<string>();
  for (const waiter of waiters) line.add(waiter, waiter.startsWith('h') ? 'high' : 'low');
  return line;
}

test('high goes first, and every fifth turn belongs to a waiting low one', () => {
  const line = lineOf('l1', 'h1', 'h2', 'h3', 'l2', 'h4', 'h5', 'h6', 'h7', 'h8', 'h9');
  expect(serveAll(line)).toEqual(['h1', 'h2', 'h3', 'h4', 'l1!', 'h5', 'h6', 'h7', 'h8', 'l2!', 'h9']);
});

test('only those that overtake are counted', () => {
  const line = lineOf('h1', 'h2', 'h3', 'h4');
  expect(serveAll(line)).toEqual(['h1', 'h2', 'h3', 'h4']);
  for (const waiter of ['h5', 'h6', 'h7', 'h8', 'h9']) line.add(waiter, 'high');
  line.add('l1', 'low');
  expect(serveAll(line)).toEqual(['h5', 'h6', 'h7', 'h8', 'l1!', 'h9']);
});

test('a low one alone has its turn and resets nothing', () => {
  expect(serveAll(lineOf('l1', 'l2'))).toEqual(['l1', 'l2']);
});

test('a removed waiter has no turn, and peeking takes none', () => {
  const line = lineOf('l1', 'h1', 'h2');
  line.remove('h1');
  line.remove('unknown');
  expect([line.size, line.peek(), line.size]).toEqual([2, { waiter: 'h2', isUrgent: true }, 2]);
});

test('a drained queue returns its waiters, high first, and resets the overtaking', () => {
  const line = lineOf('l1', 'h1', 'h2', 'h3', 'h4', 'h5');
  for (let count = 0; count < 4; count++) line.dequeue(line.peek()!);
  expect(line.drain()).toEqual(['h5', 'l1']);
  expect([line.size, line.peek()]).toEqual([0, undefined]);
  line.add('l2', 'low');
  line.add('h6', 'high');
  expect(serveAll(line)).toEqual(['h6', 'l2']);
});
