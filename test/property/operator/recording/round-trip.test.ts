// A recording keeps everything that a plan depends on: what is read back plans the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import { decodePlanRecord, encodeRecord } from '../../../../src/operator/recording/plan-record.ts';
import { factDifferences, planFacts } from '../../../../src/operator/report/plan-facts.ts';
import { echoOf } from '../../../../src/operator/report/policy-status.ts';
import type { CorrectionWindow } from '../../../../src/policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation } from '../../../../src/policy/resources.ts';
import { anyPlanInput } from '../../../support/builders/any-plan-input.ts';
import { minuteMs, nowMs, workdays } from '../../../support/builders/objects.ts';

/** With the memories that other properties do not need, and texts that JSON has to escape. */
const anyInput: fc.Arbitrary<PlanInput> = fc
  .record({
    given: anyPlanInput,
    unproven: fc.subarray(['alpha', 'beta', 'gamma']),
    deactivated: fc.subarray(['alpha', 'beta', 'gamma']),
    deactivationsLeft: fc.nat({ max: 2 }),
    nextDeactivationMs: fc.constantFrom(undefined, nowMs + minuteMs),
    backoffs: fc.dictionary(
      fc.constantFrom('alpha', 'beta', 'gamma'),
      fc.record({ count: fc.nat({ max: 4 }), lastMs: fc.constantFrom(nowMs, nowMs - minuteMs) }),
    ),
    count: fc.nat({ max: 4 }),
    windows: fc.constantFrom<CorrectionWindow[]>([], [workdays], [{ ...workdays, schedule: 'not a schedule' }]),
    reason: fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }),
    isRequested: fc.boolean(),
    isShared: fc.boolean(),
    isHandled: fc.boolean(),
  })
  .map(
    ({
      given,
      backoffs,
      count,
      windows,
      reason,
      isRequested,
      isShared,
      isHandled,
      unproven,
      deactivated,
      ...rest
    }) => ({
      ...given,
      ...rest,
      unproven: new Set(unproven),
      deactivated: new Set(deactivated),
      activationBackoffs: new Map(Object.entries(backoffs)),
      recentDeactivations: new Map([['alpha', Array.from({ length: count }, (_, index) => nowMs - minuteMs + index)]]),
      deactivationsByNamespace: isShared ? new Map([['team', count]]) : undefined,
      policies: given.policies.map((each, index) => ({
        ...each,
        grant: { ...each.grant, ...(index === 0 && { correctionWindows: windows }) },
        policy: {
          ...each.policy,
          metadata: {
            ...each.policy.metadata,
            labels: { person: 'Jane Doe' },
            annotations: { note: 'Jane Doe', ...(isRequested && { [requestedAtAnnotation]: reason }) },
          },
          ...(isHandled && {
            status: { observedGeneration: 1, ...each.policy.status, lastHandledReconcileAt: echoOf(reason) },
          }),
          spec: {
            ...each.policy.spec,
            ...(index === 1 && { correctionWindows: windows }),
            alerts: (each.policy.spec.alerts ?? []).map((declared) =>
              declared.dismissal && index === 2
                ? { ...declared, dismissal: { ...declared.dismissal, reason } }
                : declared,
            ),
          },
        },
      })),
    }),
  );

const place = { connection: 'ns/conn', scope: 'subscriptions/1' };

function readBack(input: PlanInput) {
  const { record, problem } = decodePlanRecord(encodeRecord({ ...place, input, plan: plan(input) }, '1.2.3'));
  if (!record) throw new Error(problem);
  return record;
}

const runs = { numRuns: 300 };

describe('a recorded plan', () => {
  it('decides the same when it is read back', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { facts, input: read } = readBack(input);
        expect(factDifferences(facts, planFacts(plan(read)))).toEqual([]);
        expect(facts).toEqual(planFacts(plan(input)));
      }),
      runs,
    );
  });

  it('is the same line when it is recorded again', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { input: read } = readBack(input);
        const line = encodeRecord({ ...place, input, plan: plan(input) }, '1.2.3');
        expect(encodeRecord({ ...place, input: read, plan: plan(read) }, '1.2.3')).toBe(line);
      }),
      runs,
    );
  });
});
