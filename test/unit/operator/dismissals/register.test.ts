// What the register shows of a dismissal.
import { describe, expect, it } from 'vitest';

import { declarationOf, dismissalsInForce, withDeclaration } from '../../../../src/operator/dismissals/register.ts';
import type { Condition, Dismissal } from '../../../../src/policy/generated/role-alert-policy.ts';
import {
  alertName,
  at,
  connection,
  inactive,
  ledgerEntry,
  nowMs,
  policy,
  recorded,
} from '../../../support/builders/objects.ts';
import { condition } from '../../../support/builders/page-fleet.ts';

const until = '2026-12-24T00:00:00Z';
const declared = (dismissal: Partial<Dismissal>, alert = alertName) =>
  declarationOf(policy({ spec: { alerts: [inactive(dismissal)] } }), 'team/owners', alert);

describe('the declaration of a dismissal', () => {
  it('shows how many incidents it names, and the maximum that it accepts', () => {
    expect(declared({ incidents: ['6f1c', '77aa'], reason: 'known owners' })).toEqual({
      policy: 'team/owners',
      incidents: 2,
      reason: 'known owners',
    });
    expect(declared({ maxIncidents: 0, until })).toMatchObject({ maxIncidents: 0, until });
  });

  it('shows its end in UTC, and the last second that a status may hold instead of a later one', () => {
    expect(declared({ until: '2026-12-24T02:00:00.5+02:00' }).until).toBe(until);
    expect(declared({ until: '9999-12-31T23:59:59-23:00' }).until).toBe('9999-12-31T23:59:59Z');
  });

  it('cuts its reason to 120 characters, and shows no control characters', () => {
    expect(declared({ until, reason: 'x'.repeat(121) }).reason).toBe(`${'x'.repeat(119)}…`);
    expect(declared({ until, reason: 'x'.repeat(120) }).reason).toBe('x'.repeat(120));
    expect(declared({ until, reason: 'known\u001b[31m owners\nof SEC-1182' }).reason).toBe('known owners of SEC-1182');
  });
});

it('an entry shows the declaration and keeps what the ledger needs', () => {
  const entry = { ...ledgerEntry(), until, incidents: 3, reason: 'known owners', missingSince: until };
  const { incidents: _, reason: __, ...kept } = entry;
  const declaration = { policy: 'team/heir', until, maxIncidents: 1 };
  expect(withDeclaration(entry, declaration)).toEqual({ ...kept, ...declaration });
});

describe('the dismissals in force', () => {
  const dismissed = (
    change: object = {},
    bound: Partial<Dismissal> = { until },
    conditions: readonly Condition[] = [],
  ) => {
    const row = { name: alertName, want: 'Inactive', live: 'Inactive', state: 'Quiet', result: 'InSync' } as const;
    const alerts = [{ ...row, incidents: { total: 0 }, ...change }];
    return policy({ spec: { alerts: [inactive(bound)] }, status: { observedGeneration: 1, alerts, conditions } });
  };
  const shown = (...[policies, connections]: [ReturnType<typeof policy>[], ReturnType<typeof connection>[]]) =>
    dismissalsInForce(policies, connections, nowMs).map((each) => [each.alert, each.until, each.deactivatedBy]);

  it('are those of the register, and those of alerts that were inactive before the operator came', () => {
    expect(shown([dismissed()], [connection()])).toEqual([[alertName, until, 'Other']]);
    const entry = { ...ledgerEntry(), until };
    expect(shown([dismissed({ name: alertName.toUpperCase() })], [recorded(connection(), entry)])).toEqual([
      [alertName, until, 'Operator'],
    ]);
  });

  it('do not tell who deactivated an alert without the register', () => {
    expect(shown([dismissed()], [])).toEqual([[alertName, until, 'Unknown']]);
  });

  it.each([
    ['of an alert that is active', dismissed({ live: 'Active' })],
    ['of an alert that the policy wants active', dismissed({ want: 'Active' })],
    ['that has ended since the last list, while the policy is suspended', dismissed({}, { until: at(0) })],
    ['that is not granted', dismissed({ result: 'Denied' })],
    ['that the policy does not declare any more', { ...dismissed(), spec: policy().spec }],
  ])('are none %s', (_, each) => {
    expect(shown([each], [connection()])).toEqual([]);
  });

  it.each(['Suspended', 'AccessDenied', 'ConnectionDeleting', 'ConnectionNotFound'])(
    'are none of a policy that no list decides: %s',
    (reason) => {
      expect(shown([dismissed({}, { until }, [condition('Ready', 'False', reason)])], [connection()])).toEqual([]);
    },
  );
});
