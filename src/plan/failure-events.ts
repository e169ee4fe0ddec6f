// The event of a policy whose scope cannot be listed, or whose connection does not exist: no alert shows it. What concerns the whole
// connection is an event of the connection, once and not for each of its policies.
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { conditionOf } from './conditions.ts';
import type { EventDraft } from './event-draft.ts';
import type { PolicyReason } from './reasons.ts';

const reportedReasons: readonly PolicyReason[] = [
  'ConnectionNotFound',
  'AccessDenied',
  'ScopeRejected',
  'ScopeForbidden',
  'ScopeNotFound',
  'ProtocolError',
  'ListTooLarge',
  'UnsafeNextLink',
  'ServiceUnreachable',
  'Stale',
  'InternalError',
];

/** Empty unless the next status is the first to show the failure. Its event has the reason and the message of Ready. */
export function failureEvents(
  previous: RoleAlertPolicyStatus | undefined,
  next: RoleAlertPolicyStatus,
): readonly EventDraft[] {
  const reason = failureOfPolicy(next);
  return reason === undefined || reason === failureOfPolicy(previous) ? [] : [warningOf(reason, next)];
}

/** The event of a guard that the connection does not grant, unless the previous status shows it. */
export function guardEvents(
  previous: RoleAlertPolicyStatus | undefined,
  next: RoleAlertPolicyStatus,
): readonly EventDraft[] {
  const isDenied = (status: RoleAlertPolicyStatus | undefined) =>
    conditionOf(status, 'Ready')?.reason === 'GuardDenied';
  return isDenied(next) && !isDenied(previous) ? [warningOf('GuardDenied', next)] : [];
}

function warningOf(reason: PolicyReason, next: RoleAlertPolicyStatus): EventDraft {
  const note = conditionOf(next, 'Ready')?.message ?? '';
  return { type: 'Warning', reason, action: 'Reconcile', note };
}

/** The failure that the status shows, if it is one of the policy. */
function failureOfPolicy(status: RoleAlertPolicyStatus | undefined): PolicyReason | undefined {
  const ready = conditionOf(status, 'Ready')?.reason;
  const isShared = ready === 'ServiceUnreachable' && conditionOf(status, 'ConnectionReady')?.status === 'False';
  return isShared ? undefined : reportedReasons.find((reason) => reason === ready);
}
