// A status beyond Ready: the findings that leave Ready alone, what it keeps of the last whole list, and the
// settings in force.
import { describe, expect, it } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import type { Alert } from '../../../../src/alerts/types.ts';
import type { StatusCause } from '../../../../src/operator/decide/conclude.ts';
import { failureOf } from '../../../../src/operator/decide/failures.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import type { Correction } from '../../../../src/operator/decide/writes.ts';
import type { ConnectionReason } from '../../../../src/operator/reasons/reasons.ts';
import { nextPolicyStatus } from '../../../../src/operator/report/policy-status.ts';
import type { RoleAlertPolicyStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation, type RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import {
  alert,
  alertName,
  firing,
  inactive,
  input,
  nowMs,
  planInput,
  policy,
} from '../../../support/builders/objects.ts';

const effective = { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' } as const;
const corrected: Correction = {
  alert: alertName,
  isActive: true,
  cause: 'Declared',
  policyKey: 'team/owners',
  actor: 'User',
  seenAtMs: nowMs,
};

function listed(alerts: readonly Alert[], of = input(), corrections: readonly Correction[] = []): StatusCause {
  return { kind: 'listed', decision: plan(planInput({ policies: [of], alerts })).policies[0]!, corrections };
}

const failed: StatusCause = {
  kind: 'failed',
  failure: failureOf(new AlertsError('service-unreachable', 'x')),
  isStale: false,
};

function statusOf(
  cause: StatusCause,
  object: RoleAlertPolicy = policy(),
  connection: ConnectionReason | undefined = 'Connected',
): RoleAlertPolicyStatus {
  return nextPolicyStatus({ policy: object, cause, effective, connection, nowMs });
}

const said = (status: RoleAlertPolicyStatus, type: string) => {
  const found = status.conditions?.find((condition) => condition.type === type);
  return found && `${found.status}/${found.reason}`;
};
const declaring = (...names: string[]) =>
  input({ spec: { alerts: names.map((name) => ({ name, state: 'Active' as const })) } });

describe('incidents', () => {
  const incidents = (alerts: readonly Alert[], of = declaring('A', 'B')) =>
    said(statusOf(listed(alerts, of)), 'IncidentsOpen');

  it('are found when one alert that the policy wants something of fires', () => {
    expect(incidents([firing(['a'], { name: 'A' }), alert({ name: 'B' })])).toBe('True/IncidentsFound');
    expect(incidents([alert({ name: 'A' }), alert({ name: 'B' })])).toBe('False/NoIncidents');
  });

  it('are not those of an inactive alert, or of one that is not declared', () => {
    expect(incidents([firing(['a'], { name: 'A', isActive: false })])).toBe('False/NoIncidents');
    expect(incidents([firing(['a'], { name: 'Other' })])).toBe('False/NoIncidents');
  });
});

describe('coverage', () => {
  const coverage = (alerts: readonly Alert[], of = declaring('A', 'B')) =>
    said(statusOf(listed(alerts, of)), 'Coverage');

  it('is lost when one alert that must be active is not scanned', () => {
    expect(coverage([alert({ name: 'A', isScanned: false }), alert({ name: 'B' })])).toBe('False/ScanningDisabled');
  });

  it('is no condition while it is complete', () => {
    expect(coverage([alert({ name: 'A' }), alert({ name: 'B', isScanned: undefined })])).toBeUndefined();
  });

  it('is not lost by a dismissed alert, or one that is not declared', () => {
    const dismissing = input({ spec: { alerts: [{ ...inactive({ incidents: [] }), name: 'A' }] } });
    expect(coverage([alert({ name: 'A', isScanned: false, isActive: false })], dismissing)).toBeUndefined();
    expect(coverage([alert({ name: 'Other', isScanned: false })])).toBeUndefined();
  });
});

describe('after something other than a whole list', () => {
  const before = statusOf(listed([firing(['a'], { isScanned: false })], input(), [corrected]));
  const findings = (status: RoleAlertPolicyStatus) => [said(status, 'IncidentsOpen'), said(status, 'Coverage')];

  it.each<[string, StatusCause]>([
    ['a failure', failed],
    ['a suspension', { kind: 'suspended' }],
    ['the loss of the connection', { kind: 'no-connection' }],
  ])('%s, what was seen last stays', (_, cause) => {
    const { summary, alerts, history } = before;
    const status = statusOf(cause, policy({ status: before }), 'Unreachable');
    expect(status).toMatchObject({ summary, alerts, history });
    expect(findings(status)).toEqual(['True/IncidentsFound', 'False/ScanningDisabled']);
  });

  it('a suspended policy does not say for good that its connection does not exist', () => {
    const cause = { kind: 'no-connection' } as const;
    const missing = nextPolicyStatus({ policy: policy(), cause, effective, connection: undefined, nowMs });
    expect(said(missing, 'ConnectionReady')).toBe('False/ConnectionNotFound');
    expect(said(statusOf({ kind: 'suspended' }, policy({ status: missing })), 'ConnectionReady')).toBeUndefined();
  });
});

describe('a reconcile request', () => {
  const requested = (value: string | undefined, last?: string) =>
    statusOf(
      listed([alert()]),
      policy({
        metadata: value === undefined ? {} : { annotations: { [requestedAtAnnotation]: value } },
        status: { observedGeneration: 1, ...(last !== undefined && { lastHandledReconcileAt: last }) },
      }),
    ).lastHandledReconcileAt;

  it('is echoed by the list or the refusal that follows it, not by a failure that is repeated', () => {
    const asked = policy({
      metadata: { annotations: { [requestedAtAnnotation]: 'now' } },
      status: { observedGeneration: 1, lastHandledReconcileAt: 'then' },
    });
    const echoAfter = (code: ErrorCode) => {
      const failure = failureOf(errorOf(code, 'as the test wants it'));
      return statusOf({ kind: 'failed', failure, isStale: false }, asked).lastHandledReconcileAt;
    };
    expect(echoAfter('service-unreachable')).toBe('then');
    expect(echoAfter('service-busy')).toBe('then');
    expect(echoAfter('scope-not-found')).toBe('now');
    expect(statusOf({ kind: 'suspended' }, asked).lastHandledReconcileAt).toBe('now');
  });

  it('is echoed, and the last one stays when its annotation is removed', () => {
    expect([requested('now', 'then'), requested(undefined, 'then'), requested(undefined)]).toEqual([
      'now',
      'then',
      undefined,
    ]);
  });
});
