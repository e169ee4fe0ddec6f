// Finds what has changed between the plan and the send.
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import type { Action } from '../decide/decisions.ts';

/**
 * Compares actions for one alert. The ledger records a deactivation under its policy, so the same deactivation for
 * another policy is a different action.
 */
export function isSameAction(now: Action, planned: Action): boolean {
  return now.isActive === planned.isActive && (now.isActive || now.policyKey === planned.policyKey);
}

/** True for the same object with the same spec that is not being deleted since. */
export function isAsGathered<T extends RoleAlertPolicy | AnyConnection>(
  now: T | undefined,
  planned: T | undefined,
): now is T {
  if (!now || !planned) return false;
  const { uid, generation, deletionTimestamp } = now.metadata;
  if (uid !== planned.metadata.uid || generation !== planned.metadata.generation) return false;
  return deletionTimestamp === planned.metadata.deletionTimestamp;
}
