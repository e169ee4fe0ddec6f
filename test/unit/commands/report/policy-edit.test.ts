// What the commands reconcile, suspend and resume change, when that counts as handled, and what they say.
import { describe, expect, test } from 'vitest';

import {
  type EditProgress,
  editedText,
  editProgress,
  handledText,
  patchOf,
  type PolicyEdit,
  requestNote,
  stalledText,
  waitingText,
} from '../../../../src/commands/report/policy-edit.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { at, nowMs, policy } from '../../../support/builders/objects.ts';

const reconcile: PolicyEdit = { kind: 'reconcile', requestedAt: 'now' };
const suspend: PolicyEdit = { kind: 'suspend' };
const resume: PolicyEdit = { kind: 'resume' };
const dayMs = 24 * 3_600_000;

type Condition = NonNullable<NonNullable<RoleAlertPolicy['status']>['conditions']>[number];

function condition(type: string, text: string, observedGeneration = 2): Condition {
  const [status, reason = ''] = text.split('/');
  const message = `${reason} of ${type}.`;
  return {
    type,
    status: status as Condition['status'],
    reason,
    message,
    lastTransitionTime: at(0),
    observedGeneration,
  };
}

function withStatus(status: Partial<NonNullable<RoleAlertPolicy['status']>>, requested?: string): RoleAlertPolicy {
  const annotations = requested === undefined ? {} : { 'rolealerts.dev/requestedAt': requested };
  return policy({ metadata: { generation: 2, annotations }, status: { observedGeneration: 1, ...status } });
}

test('a suspension without an end removes an earlier end, and so does the end of the suspension', () => {
  expect(patchOf(suspend)).toEqual({ spec: { suspend: true, suspendUntil: null } });
  expect(patchOf({ kind: 'suspend', until: at(0) })).toEqual({ spec: { suspend: true, suspendUntil: at(0) } });
  expect(patchOf(resume)).toEqual({ spec: { suspend: false, suspendUntil: null } });
  expect(patchOf(reconcile)).toEqual({ metadata: { annotations: { 'rolealerts.dev/requestedAt': 'now' } } });
});

const stalled = [condition('Ready', 'False/AccessDenied'), condition('Stalled', 'True/AccessDenied')];
const suspended = (generation: number) => ({ conditions: [condition('Ready', 'True/Suspended', generation)] });

describe('progress', () => {
  test.each<[string, PolicyEdit, RoleAlertPolicy, EditProgress]>([
    ['a request that the status does not repeat', reconcile, withStatus({}, 'now'), 'Waiting'],
    ['a request that the status repeats', reconcile, withStatus({ lastHandledReconcileAt: 'now' }, 'now'), 'Handled'],
    ['a later request that is handled', reconcile, withStatus({ lastHandledReconcileAt: 'later' }, 'later'), 'Handled'],
    [
      'a later request that is not handled',
      reconcile,
      withStatus({ lastHandledReconcileAt: 'now' }, 'later'),
      'Waiting',
    ],
    [
      'a request to a stalled policy',
      reconcile,
      withStatus({ lastHandledReconcileAt: 'now', conditions: stalled }, 'now'),
      'Stalled',
    ],
    ['a suspension that the conditions show', suspend, withStatus(suspended(2)), 'Handled'],
    ['an earlier suspension', suspend, withStatus(suspended(1)), 'Waiting'],
    ['a suspension that the operator has not seen', suspend, withStatus({ conditions: stalled }), 'Waiting'],
    ['a spec that was decided after the suspension', resume, withStatus({ observedGeneration: 2 }), 'Handled'],
    ['a spec that was not decided yet', resume, withStatus(suspended(2)), 'Waiting'],
    [
      'a policy that is stalled after the suspension',
      resume,
      withStatus({ observedGeneration: 2, conditions: stalled }),
      'Stalled',
    ],
  ])('%s', (_, edit, current, expected) => {
    expect(editProgress(current, edit, policy({ metadata: { generation: 2 } }))).toBe(expected);
  });
});

describe('texts', () => {
  test('of an edit name the policy and what was done', () => {
    expect(editedText(policy(), reconcile)).toBe('policy team/owners reconcile requested\n');
    expect(editedText(policy(), suspend)).toBe('policy team/owners suspended\n');
    const until = '2026-12-24T00:00:00Z';
    expect(editedText(policy(), { kind: 'suspend', until })).toBe(`policy team/owners suspended until ${until}\n`);
    expect(editedText(policy(), resume)).toBe('policy team/owners resumed\n');
  });

  test('of a handled edit show the state of the policy', () => {
    const ready = withStatus({ conditions: [condition('Ready', 'True/Succeeded')] });
    expect(handledText(ready, reconcile)).toBe('policy team/owners reconciled: Ready is True (Succeeded)\n');
    expect(handledText(ready, suspend)).toBe('policy team/owners suspended\n');
  });

  test('of a stalled policy have the reason and its message', () => {
    expect(stalledText(withStatus({ conditions: stalled }))).toBe(
      'policy team/owners is stalled (AccessDenied): AccessDenied of Stalled.',
    );
  });

  test('after the timeout name the cause that the status shows, or how to find it', () => {
    const failing = withStatus({ conditions: [condition('Ready', 'Unknown/ServiceUnreachable')] });
    expect(waitingText(failing, '2m')).toBe(
      'policy team/owners was not handled within 2m. Ready is Unknown (ServiceUnreachable): ServiceUnreachable of Ready.',
    );
    for (const conditions of [[condition('Ready', 'True/Succeeded')], [condition('Ready', 'Unknown/Pending')]])
      expect(waitingText(withStatus({ conditions }), '2m')).toContain('Check that an operator runs');
  });

  test('name the cause of a connection that is not ready, before and after the wait', () => {
    const refused = condition('ConnectionReady', 'False/Unauthorized');
    const given = withStatus({ conditions: [condition('Ready', 'False/ConnectionNotReady'), refused] });
    const cause = 'ConnectionReady is False (Unauthorized): Unauthorized of ConnectionReady.';
    expect(requestNote(given, nowMs)).toBe(`A reconcile of policy team/owners waits for its connection: ${cause}`);
    expect(waitingText(given, '2m')).toBe(`policy team/owners was not handled within 2m. ${cause}`);
  });

  test('of a request to a suspended policy say that it lists nothing, and how to resume', () => {
    expect(requestNote(policy(), nowMs)).toBeUndefined();
    const spec = { suspend: true, suspendUntil: at(dayMs) };
    expect(requestNote(policy({ spec }), nowMs)).toContain('run `rolealerts resume owners -n team`');
    expect(requestNote(policy({ spec }), nowMs + 2 * dayMs)).toBeUndefined();
  });
});

test('no control character of a condition reaches a terminal', () => {
  const forged = { ...condition('Stalled', 'True/Flapping'), reason: 'x\u001b[2J', message: 'a\u001b[2J\nb' };
  const ready = { ...forged, type: 'Ready', status: 'False' } as const;
  const given = withStatus({ conditions: [ready, forged] });
  const texts = [stalledText(given), waitingText(given, '1m'), handledText(given, reconcile).trimEnd()];
  for (const text of texts) expect(text).not.toMatch(/[\u001b\n]/);
});
