import { describe, expect, it } from 'vitest';

import { ownerOf } from '../../../src/plan/claims.ts';
import type { Claim } from '../../../src/plan/plan-input.ts';
import { input } from '../../support/builders/objects.ts';

type Change = Parameters<typeof input>[0];

const active = (name: string, change: Change = {}): Claim => ({
  input: input({ name, ...change }),
  want: { state: 'Active', source: 'Declared' },
});
const inactive = (name: string, change: Change = {}): Claim => ({
  input: input({ name, ...change }),
  want: { state: 'Inactive', source: 'DismissalHolds' },
});
const guarding = (name: string, change: Change = {}): Claim => ({
  input: input({ name, ...change }),
  want: { state: 'Active', source: 'Unlisted' },
});
const other = { connection: 'team/other' };
const old = { createdAt: '2020-01-01T00:00:00Z' };

describe('the owner of an alert', () => {
  it.each<[string, Claim[], string | undefined]>([
    ['none without an eligible claim', [active('a', { spec: { suspend: true } })], undefined],
    ['the one that wants it active', [inactive('off', old), active('on')], 'team/on'],
    [
      'none when the only dismissal is not granted',
      [{ ...inactive('off'), want: { state: 'Inactive', source: 'DismissalHolds', denial: 'DeactivationDenied' } }],
      undefined,
    ],
    [
      'none when the only policy wants no state',
      [{ ...active('a'), want: { state: 'None', source: 'NotDeclared' } }],
      undefined,
    ],
    [
      'the guard that counts in its own connection, not an older one that lost there',
      [guarding('theirs', { ...old, ...other }), inactive('off', other), guarding('ours')],
      'team/ours',
    ],
    ['none without a proven connection', [active('a', { standing: 'Unheard' })], undefined],
    [
      'the one whose connection has proven itself',
      [active('on', { standing: 'Unheard' }), inactive('off')],
      'team/off',
    ],
    ['the one whose connection was not refused', [active('on', { standing: 'Refused' }), inactive('off')], 'team/off'],
    ['the oldest of equals', [active('young'), active('old', old)], 'team/old'],
    [
      'another that wants the same when the oldest cannot act',
      [active('a', { ...old, canAct: false }), active('b')],
      'team/b',
    ],
    [
      'the oldest when none can act',
      [active('a', { ...old, canAct: false }), active('b', { canAct: false })],
      'team/a',
    ],
    [
      'the one that wants it active, also when only the other can act',
      [active('on', { canAct: false }), inactive('off')],
      'team/on',
    ],
    [
      'another that dismisses it when the oldest cannot act',
      [inactive('a', { ...old, canAct: false }), inactive('b')],
      'team/b',
    ],
    [
      'an explicit dismissal before a guard of the same connection',
      [guarding('guard', old), inactive('off')],
      'team/off',
    ],
    [
      'a guard before an explicit dismissal of another connection',
      [inactive('off', old), guarding('guard', other)],
      'team/guard',
    ],
    [
      'the explicit dismissal when the guard loses in its own connection too',
      [guarding('guard', other), inactive('theirs', other), inactive('ours', old)],
      'team/ours',
    ],
    ['the explicit one of two that want it active', [guarding('guard', old), active('on', other)], 'team/on'],
    [
      'a guard that can act when the guard of another connection cannot',
      [guarding('theirs', { ...old, ...other, canAct: false }), guarding('ours'), inactive('off')],
      'team/ours',
    ],
  ])('%s', (_sentence, claims, owner) => {
    expect(ownerOf(claims)?.input.key).toBe(owner);
  });
});
