// Nothing that a person wrote is in a recording.
import { expect, it } from 'vitest';

import { plan } from '../../../../src/operator/decide/plan.ts';
import { encodeRecord } from '../../../../src/operator/recording/plan-record.ts';
import { requestedAtAnnotation } from '../../../../src/policy/resources.ts';
import { policy, input, inactive, ledgerEntry, planInput } from '../../../support/builders/objects.ts';

it('a recorded plan keeps no text of a person, no label and no annotation', () => {
  const canary = 'Jane Doe';
  const { status } = policy();
  const given = planInput({
    policies: [
      input({
        spec: { alerts: [inactive({ reason: `${canary} is on leave` })] },
        metadata: {
          labels: { owner: canary },
          annotations: { note: canary, [requestedAtAnnotation]: `asked by ${canary}` },
        },
        status: {
          observedGeneration: 1,
          lastHandledReconcileAt: `before that, ${canary}`,
          ...status,
          conditions: (status?.conditions ?? []).map((each) => ({ ...each, message: canary })),
          history: [{ at: '2026-01-01T00:00:00Z', alert: 'A', direction: 'Activated', reason: canary, count: 1 }],
        },
      }),
    ],
    ledger: [{ ...ledgerEntry(), reason: canary }],
  });
  const line = encodeRecord({ connection: 'team/prod', scope: 's', input: given, plan: plan(given) }, '1.2.3');
  expect(line).not.toContain(canary);
  expect(line).not.toContain('Jane');
  expect(line).toContain('"reason":"xxxx xxx xx xx xxxxx"');
  expect(line).not.toContain('requestedAt');
});

it('a reason is cut, and half a character at the cut is still JSON', () => {
  const reason = `${'a'.repeat(119)}\u{1f600}`;
  const given = planInput({ policies: [input({ spec: { alerts: [inactive({ reason })] } })] });
  const line = encodeRecord({ connection: 'team/prod', scope: 's', input: given, plan: plan(given) }, '1.2.3');
  expect(line).toContain(`"reason":"${'x'.repeat(120)}"`);
});
