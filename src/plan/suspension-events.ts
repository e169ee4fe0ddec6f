// The event of a suspension that `suspendUntil` ended. An edit that ends one needs no event: its author knows.
import type { RoleAlertPolicySpec, RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { conditionOf } from './conditions.ts';
import type { EventDraft } from './event-draft.ts';

/** Empty unless Ready leaves Suspended between the two statuses while the spec still declares the suspension. */
export function suspensionEvents(
  previous: RoleAlertPolicyStatus | undefined,
  next: RoleAlertPolicyStatus,
  { suspend, suspendUntil }: Pick<RoleAlertPolicySpec, 'suspend' | 'suspendUntil'>,
): EventDraft[] {
  const isOver = isShownAsSuspended(previous) && !isShownAsSuspended(next);
  if (!suspend || suspendUntil === undefined || !isOver) return [];
  const note = `The suspension ended at ${suspendUntil}; the policy is reconciled again.`;
  return [{ type: 'Normal', reason: 'SuspensionEnded', action: 'Reconcile', note }];
}

function isShownAsSuspended(status: RoleAlertPolicyStatus | undefined): boolean {
  return conditionOf(status, 'Ready')?.reason === 'Suspended';
}
