import { describe, expect, test } from 'vitest';

import { batchLimit, endsDismissal, nextBatch } from '../../../src/plan/batch.ts';
import type { Action } from '../../../src/plan/decisions.ts';
import type { SentWrite } from '../../../src/plan/memory.ts';

const action = (alert: string, change: Partial<Action> = {}): Action => ({
  alert,
  isActive: true,
  cause: 'Declared',
  policyKey: 'team/owners',
  actor: 'Unknown',
  ...change,
});
const off = (alert: string) => action(alert, { isActive: false, cause: 'DismissalHolds' });
const many = (count: number, make: (alert: string) => Action) =>
  Array.from({ length: count }, (_, index) => make(`${make === off ? 'off' : 'on'}${index}`));
const tried = (tries: number): SentWrite => ({
  isActive: true,
  cause: 'Declared',
  policyKey: undefined,
  actor: 'Unknown',
  sentAtMs: 0,
  tries,
});
const names = (actions: readonly Action[]) => actions.map(({ alert }) => alert);
const facts = { sent: new Map(), limit: 8, round: 0 };

describe('a batch', () => {
  test.each([
    [20, 1, 8],
    [10_000, 1, 16],
    [10, 1, 3],
    [4, 1, 1],
    [2, 1, 1],
    [20, 30, 16],
    [10, 8, 8],
    [34, 0, 16],
    [32, 0, 16],
    [30, 0, 15],
    [1, 0, 1],
    [15, 1, 5],
  ])('of a burst of %i, with lists of %i requests, has at most %i actions', (burst, pages, limit) => {
    expect(batchLimit(burst, pages, false)).toBe(limit);
  });

  test('that goes before others is half as big', () => {
    expect(batchLimit(20, 1, true)).toBe(3);
    expect([batchLimit(23, 0, true), batchLimit(24, 0, true)]).toEqual([5, 6]);
  });

  test('takes all of a small plan, activations first', () => {
    expect(names(nextBatch([off('a'), action('b'), off('c')], facts))).toEqual(['b', 'a', 'c']);
  });

  test('keeps a quarter of a big plan for deactivations', () => {
    const batch = nextBatch([...many(3, off), ...many(400, action)], facts);
    expect(batch.map(({ isActive }) => isActive)).toEqual([true, true, true, true, true, true, false, false]);
  });

  test('is filled up with deactivations where there are few activations', () => {
    expect(nextBatch([...many(20, off), action('a')], facts).filter(({ isActive }) => !isActive)).toHaveLength(7);
  });

  test('of one serves a deactivation every fourth time', () => {
    const served = [0, 1, 2, 3, 4, 5, 6, 7].map(
      (round) => nextBatch([off('a'), ...many(400, action)], { ...facts, limit: 1, round })[0]?.isActive,
    );
    expect(served).toEqual([true, true, true, false, true, true, true, false]);
  });

  test('of four has a place for a deactivation every time, and of three in one of four', () => {
    const served = (limit: number) =>
      [0, 1, 2, 3]
        .map((round) => nextBatch([...many(9, off), ...many(9, action)], { ...facts, limit, round }))
        .map((batch) => batch.filter(({ isActive }) => !isActive).length);
    expect([served(8), served(4), served(3)]).toEqual([
      [2, 2, 2, 2],
      [1, 1, 1, 1],
      [0, 0, 0, 1],
    ]);
  });

  test.each(['DismissalExpired', 'NewIncidents', 'DeclarationGone'] as const)(
    'begins with what %s activates',
    (cause) => {
      expect(names(nextBatch([...many(3, action), action('ends', { cause })], facts))[0]).toBe('ends');
      expect(endsDismissal(action('ends', { cause, isActive: false }))).toBe(false);
    },
  );

  test('begins with the ends of dismissals, and with what was tried the least', () => {
    const ends = action('ends', { cause: 'DismissalExpired' });
    const tries = new Map([['on0', tried(3)]]);
    const batch = nextBatch([...many(3, action), ends], { ...facts, sent: tries });
    expect(names(batch)).toEqual(['ends', 'on1', 'on2', 'on0']);
  });

  test('takes the end of a dismissal that failed, behind what was tried less', () => {
    const ends = action('ends', { cause: 'DeclarationGone' });
    const batch = nextBatch([ends, ...many(20, action)], { ...facts, sent: new Map([['ends', tried(9)]]) });
    expect(names(batch)).toEqual([...names(many(7, action)), 'ends']);
  });

  test('keeps half of its places free of ends of dismissals that failed', () => {
    const ends = Array.from({ length: 20 }, (_, index) => action(`ends${index}`, { cause: 'DismissalExpired' }));
    const sent = new Map(ends.map(({ alert }) => [alert, tried(1)]));
    const batch = nextBatch([...ends, ...many(20, action)], { ...facts, sent });
    expect(names(batch)).toEqual(['on0', 'on1', 'on2', 'on3', 'ends0', 'ends1', 'ends2', 'ends3']);
  });

  test('takes more ends of dismissals than that where nothing goes before them', () => {
    const ends = Array.from({ length: 20 }, (_, index) => action(`ends${index}`, { cause: 'NewIncidents' }));
    expect(names(nextBatch([...many(20, action), ...ends], facts))).toEqual(names(ends).slice(0, 8));
  });

  test('of one serves the end of a dismissal that failed every other time', () => {
    const ends = action('ends', { cause: 'DismissalExpired' });
    const sent = new Map([['ends', tried(1)]]);
    const served = [0, 1, 2, 3].map(
      (round) => nextBatch([ends, ...many(20, action)], { sent, limit: 1, round })[0]?.alert,
    );
    expect(served).toEqual(['on0', 'ends', 'on0', 'ends']);
  });
});
