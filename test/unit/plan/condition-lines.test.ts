// Which conditions of a transition are logged, with which facts and at which level.
import { expect, test } from 'vitest';

import { conditionLines } from '../../../src/plan/condition-lines.ts';
import type { Condition } from '../../../src/policy/generated/role-alert-policy.ts';

const object = {
  apiVersion: 'rolealerts.dev/v1alpha1',
  kind: 'RoleAlertPolicy',
  namespace: 'team',
  name: 'owners',
} as const;

const condition = (type: string, status: Condition['status'], change: Partial<Condition> = {}): Condition => ({
  type,
  status,
  observedGeneration: 1,
  lastTransitionTime: '2026-06-01T12:00:00Z',
  reason: 'Succeeded',
  message: 'All is well.',
  ...change,
});

const short = (before: readonly Condition[] | undefined, after: readonly Condition[]) =>
  conditionLines(object, before && { conditions: before }, { conditions: after }).map(({ level, message, fields }) =>
    [level, message, fields['type'], fields['status']].join(' ').trim(),
  );

const ready = condition('Ready', 'True');

test('a line names the object, the condition, its reason and its message', () => {
  const after = condition('Ready', 'False', {
    reason: 'ScopeNotFound',
    message: 'The service does not know the scope.',
  });
  expect(conditionLines(object, { conditions: [ready] }, { conditions: [after] })).toEqual([
    {
      level: 'warn',
      message: 'condition changed',
      fields: {
        kind: 'RoleAlertPolicy',
        namespace: 'team',
        name: 'owners',
        type: 'Ready',
        status: 'False',
        reason: 'ScopeNotFound',
        message: 'The service does not know the scope.',
      },
    },
  ]);
});

test.each([
  ['none, when nothing differs', [ready], [ready], []],
  [
    'none, when only generation and time differ',
    [ready],
    [{ ...ready, observedGeneration: 2, lastTransitionTime: '' }],
    [],
  ],
  ['the first one of an object', undefined, [ready], ['info condition changed Ready True']],
  ['another status', [ready], [condition('Ready', 'Unknown')], ['info condition changed Ready Unknown']],
  ['another reason', [ready], [{ ...ready, reason: 'Observed' }], ['info condition changed Ready True']],
  ['another message', [ready], [{ ...ready, message: 'Still.' }], ['info condition changed Ready True']],
  [
    'Ready that becomes False, as a warning',
    [ready],
    [condition('Ready', 'False')],
    ['warn condition changed Ready False'],
  ],
  ['another type that becomes False', [], [condition('InSync', 'False')], ['info condition changed InSync False']],
  ['one that is gone', [condition('Stalled', 'True'), ready], [ready], ['info condition removed Stalled']],
] as const)('%s', (_, before, after, expected) => {
  expect(short(before, after)).toEqual(expected);
});
