import { describe, expect, test } from 'vitest';

import type { Action } from '../../../../src/operator/decide/decisions.ts';
import { endsDismissal, nextBatch } from '../../../../src/operator/decide/plan.ts';
import type { PendingWrite } from '../../../../src/operator/decide/writes.ts';

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
const tried = (tries: number): PendingWrite => ({
  isActive: true,
  cause: 'Declared',
  policyKey: undefined,
  actor: 'Unknown',
  sentAtMs: 0,
  tries,
});
const names = (actions: readonly Action[]) => actions.map(({ alert }) => alert);
const none = new Map<string, PendingWrite>();

describe('a batch', () => {
  test('has at most sixteen activations', () => {
    expect(names(nextBatch(many(20, action), none))).toEqual(names(many(16, action)));
  });

  test('has no deactivation beside activations, and without them one', () => {
    expect(names(nextBatch([off('a'), action('b'), off('c'), action('d')], none))).toEqual(['b', 'd']);
    expect(names(nextBatch([off('a'), off('c')], none))).toEqual(['a']);
  });

  test.each(['DismissalExpired', 'NewIncidents', 'DeclarationGone'] as const)(
    'begins with what %s activates',
    (cause) => {
      expect(names(nextBatch([...many(3, action), action('ends', { cause })], none))[0]).toBe('ends');
      expect(endsDismissal(action('ends', { cause, isActive: false }))).toBe(false);
    },
  );

  test('begins with ends of dismissals however often they were tried, and of each kind with what was tried the least', () => {
    const ends = (alert: string) => action(alert, { cause: 'DismissalExpired' });
    const sent = new Map(Object.entries({ on0: tried(3), ends0: tried(9) }));
    const batch = nextBatch([...many(3, action), ends('ends0'), ends('ends1')], sent);
    expect(names(batch)).toEqual(['ends1', 'ends0', 'on1', 'on2', 'on0']);
  });
});
