// The reason that InSync changed to while the result of its alerts stayed the same. A row has results only: a dismissal that is denied for
// another reason than before has the same row.
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { conditionOf } from './conditions.ts';

/** The reasons of one result. A change between results is a transition of the row. */
const reasonsOfResults: readonly ReadonlySet<string>[] = [
  new Set(['DeactivationDenied', 'DismissalIncomplete', 'DismissalTooLong', 'LedgerFull']),
  new Set(['CorrectionFailed', 'ServiceUnreachable', 'WriteNotVerified']),
  new Set(['Flapping', 'DeactivationLimited', 'CorrectionUndone']),
];

export function changedReason(
  previous: RoleAlertPolicyStatus | undefined,
  next: RoleAlertPolicyStatus,
): string | undefined {
  const before = conditionOf(previous, 'InSync')?.reason;
  const after = conditionOf(next, 'InSync')?.reason;
  if (before === undefined || after === undefined || before === after) return undefined;
  return reasonsOfResults.some((reasons) => reasons.has(before) && reasons.has(after)) ? after : undefined;
}
