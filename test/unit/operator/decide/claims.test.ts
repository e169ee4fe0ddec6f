import { describe, expect, it } from 'vitest';

import { ownerOf } from '../../../../src/operator/decide/claims.ts';
import type { Claim } from '../../../../src/operator/decide/decisions.ts';
import { input } from '../../../support/builders/objects.ts';

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
    ['the oldest of equals', [active('young'), active('old', old)], 'team/old'],
    ['an explicit dismissal before a guard', [guarding('guard', old), inactive('off')], 'team/off'],
    ['the explicit one of two that want it active', [guarding('guard', old), active('on')], 'team/on'],
  ])('%s', (_sentence, claims, owner) => {
    expect(ownerOf(claims)?.input.key).toBe(owner);
  });
});
