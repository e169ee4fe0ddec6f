// Event predicates: which change of an object requeues its scope. The operator's own status writes come back as events
// and must not.
import { isSameJson } from '../lib/same-json.ts';
import { hasFinalizer } from '../policy/deletion.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { type AnyConnection, type RoleAlertPolicy, requestedAtAnnotation } from '../policy/resources.ts';

/** `edit`: a user changed the spec or requested a reconcile. `repair`: another writer changed the status or the finalizer. */
export type Trigger = 'edit' | 'repair' | 'none';

/**
 * `seen`: the object that the operator acted on or wrote last; undefined for a new object. `writing`: the status that
 * it is writing now, which the watch may deliver before the response arrives.
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

export function connectionTrigger(seen: AnyConnection | undefined, now: AnyConnection): Trigger {
  if (!seen || seen.metadata.generation !== now.metadata.generation) return 'edit';
  if (seen.metadata.deletionTimestamp !== now.metadata.deletionTimestamp) return 'edit';
  if (hasFinalizer(seen) !== hasFinalizer(now)) return 'repair';
  return isSameJson(seen.status, now.status) ? 'none' : 'repair';
}
