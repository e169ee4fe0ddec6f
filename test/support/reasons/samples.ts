// A realistic policy, connection and lists, from which the examples of reasons are made.
import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import type { StatusCause } from '../../../src/operator/decide/conclude.ts';
import type { PlanInput } from '../../../src/operator/decide/decisions.ts';
import { failureOf } from '../../../src/operator/decide/failures.ts';
import { plan } from '../../../src/operator/decide/plan.ts';
import type { Correction, PendingWrite } from '../../../src/operator/decide/writes.ts';
import { factsOfConnection } from '../../../src/operator/reasons/message-facts.ts';
import type { ConnectionReason } from '../../../src/operator/reasons/reasons.ts';
import { nextPolicyStatus, type StatusInput } from '../../../src/operator/report/policy-status.ts';
import type { RoleAlertPolicyStatus } from '../../../src/policy/generated/role-alert-policy.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../../src/policy/resources.ts';
import {
  alert,
  alertName,
  clusterNamespace,
  connection,
  inactive,
  input,
  nowMs,
  planInput,
  policy,
  pendingWrite,
} from '../builders/objects.ts';

export const scope = 'subscriptions/payments';
/** The alert that the examples are about, deactivated. */
export const off = alert({ isActive: false });
/** A policy that dismisses the alert. */
export const dismissing = (change: Parameters<typeof input>[0] = {}) =>
  input({ spec: { scope, alerts: [inactive({ maxIncidents: 9 })] }, ...change });

export function listed(change: Partial<PlanInput> = {}, corrections: readonly Correction[] = []): StatusCause {
  return { kind: 'listed', decision: plan(planInput(change)).policies[0]!, corrections };
}

export function failed(code: AlertsError['code'], facts = {}, isStale = false): StatusCause {
  return { kind: 'failed', failure: failureOf(new AlertsError(code, 'the message in the log', facts)), isStale };
}

export const sent = (change: Partial<PendingWrite> = {}) => new Map([[alertName.toLowerCase(), pendingWrite(change)]]);

export function correction(
  cause: Correction['cause'],
  isActive = true,
  actor: Correction['actor'] = 'User',
): Correction {
  return { alert: alertName, isActive, cause, policyKey: 'team/owners', actor, seenAtMs: nowMs };
}

interface StatusChange {
  readonly health?: ConnectionReason | undefined;
  /** The status of the policy so far; without one that of a policy in sync. */
  readonly before?: RoleAlertPolicyStatus;
  readonly spec?: Partial<RoleAlertPolicy['spec']>;
  /** Its connection, if it is another one than `connection()`. */
  readonly through?: AnyConnection;
}

/** The input of the status after this outcome. */
export function statusInput(cause: StatusCause, { health, before, spec, through }: StatusChange = {}): StatusInput {
  const own = through ?? connection();
  const connectionRef = { kind: own.kind, name: own.metadata.name };
  const object = policy({ spec: { scope, connectionRef, ...spec }, ...(before && { status: before }) });
  const isMissing = cause.kind === 'no-connection';
  return {
    policy: object,
    cause,
    effective: { mode: object.spec.mode, interval: '15m0s', scope },
    connection: isMissing ? undefined : (health ?? 'Connected'),
    connectionFacts: isMissing ? undefined : factsOfConnection(own, clusterNamespace),
    nowMs,
  };
}

/** The status of the policy after this outcome. */
export function statusAfter(cause: StatusCause, change: StatusChange = {}): RoleAlertPolicyStatus {
  return nextPolicyStatus(statusInput(cause, change));
}

/** The input of the status after this outcome, for a policy that was in sync. */
export const afterSync = (cause: StatusCause, change: StatusChange = {}) =>
  statusInput(cause, { before: statusAfter(listed()), ...change });
