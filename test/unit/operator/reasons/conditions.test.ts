// One condition after another: its time moves with its status only, its generation with every decision.
import { expect, it } from 'vitest';

import { type ConditionDrafts, nextConditions } from '../../../../src/operator/reasons/conditions.ts';
import { conditionMessage } from '../../../../src/operator/reasons/reasons.ts';
import type { Condition } from '../../../../src/policy/generated/role-alert-policy.ts';
import { pendingStatus } from '../../../../src/policy/resources.ts';
import { nowMs } from '../../../support/builders/objects.ts';

const longAgo = '2026-01-01T00:00:00Z';
const ready: Condition = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: longAgo,
  reason: 'Succeeded',
  message: conditionMessage('Succeeded'),
};
const inSync: Condition = { ...ready, type: 'InSync', reason: 'InSync', message: conditionMessage('InSync') };
const next = (drafts: ConditionDrafts, previous: readonly Condition[] = [ready, inSync]) =>
  nextConditions(previous, drafts, 2, nowMs);

it('has the generation it was decided for, although nothing else is new', () => {
  expect(next({ Ready: { status: 'True', reason: 'Succeeded' } })).toEqual([{ ...ready, observedGeneration: 2 }]);
});

it('keeps its time when only its reason changes, and not when its status does', () => {
  const [reason] = next({ Ready: { status: 'True', reason: 'Suspended' } });
  expect(reason).toEqual({
    ...ready,
    observedGeneration: 2,
    reason: 'Suspended',
    message: conditionMessage('Suspended'),
  });
  const [status] = next({ Ready: { status: 'False', reason: 'WriteNotVerified' } });
  expect(status).toMatchObject({ status: 'False', lastTransitionTime: '2026-06-01T12:00:00Z' });
});

it('begins now when it was not there', () => {
  expect(next({ Stalled: { status: 'True', reason: 'ScopeRejected', facts: { serviceCode: 'NoSuchScope' } } })).toEqual(
    [
      {
        type: 'Stalled',
        status: 'True',
        observedGeneration: 2,
        lastTransitionTime: '2026-06-01T12:00:00Z',
        reason: 'ScopeRejected',
        message: conditionMessage('ScopeRejected', { serviceCode: 'NoSuchScope' }),
      },
    ],
  );
});

it('has its first time from the operator, not from the default of the schema', () => {
  const [first] = next({ Ready: { status: 'Unknown', reason: 'VerifyingWrite' } }, [...pendingStatus.conditions]);
  expect(first).toMatchObject({ status: 'Unknown', lastTransitionTime: '2026-06-01T12:00:00Z' });
});

it('that is kept stays whole, its generation included, and is not made up', () => {
  expect(next({ InSync: 'keep', Coverage: 'keep' })).toEqual([inSync]);
});

it('that is not drafted goes, and the others come in their order', () => {
  expect(next({})).toEqual([]);
  const drafts: ConditionDrafts = {
    InSync: 'keep',
    Stalled: { status: 'True', reason: 'ScopeRejected' },
    Ready: 'keep',
  };
  expect(next(drafts).map(({ type }) => type)).toEqual(['Ready', 'Stalled', 'InSync']);
});
