// Which change of an object deserves a reconcile. Our own status writes come back as events too and must not.
import { isSameJson } from '../lib/same-json.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { type RoleAlertConnection, type RoleAlertPolicy, requestedAtAnnotation } from '../policy/resources.ts';

/** `edit`: somebody changed what is wanted, or asks for a reconcile. `repair`: another writer touched the status. */
export type Trigger = 'edit' | 'repair' | 'none';

/**
 * `seen` is what the operator acted on or wrote last; undefined for an object that is new. `writing` is the status that it
 * is just writing: the watch often tells a write before the answer does.
 */
export function policyTrigger(
  seen: RoleAlertPolicy | undefined,
  now: RoleAlertPolicy,
  writing: RoleAlertPolicyStatus | undefined,
): Trigger {
  if (!seen || seen.metadata.generation !== now.metadata.generation) return 'edit';
  if (seen.metadata.deletionTimestamp !== now.metadata.deletionTimestamp) return 'edit';
  const requested = now.metadata.annotations?.[requestedAtAnnotation];
  if (requested !== undefined && requested !== seen.metadata.annotations?.[requestedAtAnnotation]) return 'edit';
  const isOurs = isSameJson(seen.status, now.status) || (writing !== undefined && isSameJson(writing, now.status));
  return isOurs ? 'none' : 'repair';
}

export function connectionTrigger(seen: RoleAlertConnection | undefined, now: RoleAlertConnection): Trigger {
  if (!seen || seen.metadata.generation !== now.metadata.generation) return 'edit';
  if (seen.metadata.deletionTimestamp !== now.metadata.deletionTimestamp) return 'edit';
  return isSameJson(seen.status, now.status) ? 'none' : 'repair';
}
