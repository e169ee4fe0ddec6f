import { describe, expect, test } from 'vitest';

import { alertKey, canonicalScope, sameName } from '../../../src/alerts/resource-id.ts';

test.each([
  { left: 'TooManyOwners', right: 'toomanyowners', isSame: true },
  { left: 'A', right: 'A ', isSame: false },
  { left: 'key', right: '\u212aey', isSame: false },
  { left: 'Straße', right: 'sTRAßE', isSame: true },
  { left: 'İ', right: 'i̇', isSame: false },
])('names $left and $right are the same: $isSame', ({ left, right, isSame }) => {
  expect(sameName(left, right)).toBe(isSame);
  expect(alertKey('s', left) === alertKey('s', right)).toBe(isSame);
});

describe('scopes', () => {
  test.each(['subscriptions/AB', '/subscriptions/ab', 'Subscriptions/Ab/', '//SUBSCRIPTIONS/aB//'])(
    '%s is one and the same scope',
    (scope) => {
      expect(canonicalScope(scope)).toBe('subscriptions/ab');
    },
  );

  test('that differ within stay different', () => {
    expect(canonicalScope('a//b')).not.toBe(canonicalScope('a/b'));
    expect(alertKey('a/b', 'c')).not.toBe(alertKey('a', 'b/c'));
  });
});
