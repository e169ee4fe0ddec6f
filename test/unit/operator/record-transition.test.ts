// Which conditions of a transition are logged, with which facts and at which level.
import { expect, test } from 'vitest';

import { recordTransition } from '../../../src/operator/logging.ts';
import { type EventDraft, eventOf } from '../../../src/operator/report/event-draft.ts';
import type { Condition } from '../../../src/policy/generated/role-alert-policy.ts';
import { policy } from '../../support/builders/objects.ts';
import { keeping } from '../../support/reasons/example.ts';

const condition = (type: string, status: Condition['status'], change: Partial<Condition> = {}): Condition => ({
  type,
  status,
  observedGeneration: 1,
  lastTransitionTime: '2026-06-01T12:00:00Z',
  reason: 'Succeeded',
  message: 'All is well.',
  ...change,
});

/** What the transition from these conditions to those records. */
function recorded(
  before: readonly Condition[] | undefined,
  conditions: readonly Condition[],
  drafts: EventDraft[] = [],
) {
  const { log, events, kept } = keeping();
  const object = policy({ ...(before && { status: { observedGeneration: 1, conditions: before } }) });
  recordTransition({ log, events }, object, { conditions }, drafts);
  return kept;
}

const short = (before: readonly Condition[] | undefined, after: readonly Condition[]) =>
  recorded(before, after).lines.map((line) => {
    const { level, msg, type, status } = line as unknown as Record<string, string>;
    return [level, msg, type, status].filter((part) => part !== undefined).join(' ');
  });

const ready = condition('Ready', 'True');

test('a line names the object, the condition, its reason and its message', () => {
  const after = condition('Ready', 'False', {
    reason: 'ScopeNotFound',
    message: 'The service does not know the scope.',
  });
  expect(recorded([ready], [after]).lines).toMatchObject([
    {
      level: 'warn',
      msg: 'condition changed',
      kind: 'RoleAlertPolicy',
      namespace: 'team',
      name: 'owners',
      type: 'Ready',
      status: 'False',
      reason: 'ScopeNotFound',
      message: 'The service does not know the scope.',
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

test('the events follow the lines, and name the object', () => {
  const { events, lines } = recorded([], [ready], [eventOf('ScopeConflict', 'Two policies want the opposite.')]);
  expect(events).toMatchObject([{ regarding: { kind: 'RoleAlertPolicy', name: 'owners' }, reason: 'ScopeConflict' }]);
  expect(lines.map(({ msg }) => msg)).toEqual(['condition changed', 'event emitted']);
});
