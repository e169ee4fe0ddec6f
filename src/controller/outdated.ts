// Finds what has changed between the plan and the send.
import type { Action } from '../plan/decisions.ts';
import type { AnyConnection, RoleAlertPolicy } from '../policy/resources.ts';
import { ControllerError } from './controller-error.ts';

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

/** The error for an action that may no longer be declared. `detail` goes to the log. */
export function outdated(detail: string): ControllerError {
  return new ControllerError('plan-outdated', 'What was planned is no longer sure to be declared.', { detail });
}
