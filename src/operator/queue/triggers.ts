// Event predicates: which change of an object requeues its scope. The operator's own status writes come back as events
// and must not.
import { isSameJson } from '../../lib/json-shape.ts';
import { hasFinalizer } from '../../policy/deletion.ts';
import type { RoleAlertConnectionStatus } from '../../policy/generated/role-alert-connection.ts';
import type { RoleAlertPolicyStatus } from '../../policy/generated/role-alert-policy.ts';
import { type AnyConnection, type RoleAlertPolicy, requestedAtAnnotation } from '../../policy/resources.ts';
import { conditionOf } from '../reasons/conditions.ts';
import { echoOf } from '../report/policy-status.ts';

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
  return isKnownStatus(seen, now, writing) ? 'none' : 'repair';
}

/** True for known drift and for a reconcile request that no status has answered. */
export function isAwaited({ metadata, status }: RoleAlertPolicy): boolean {
  const requested = metadata.annotations?.[requestedAtAnnotation];
  const isRequested = requested !== undefined && status?.lastHandledReconcileAt !== echoOf(requested);
  return isRequested || conditionOf(status, 'InSync')?.status === 'False';
}

/** `isHeld`: whether the connection must have the finalizer. */
export function connectionTrigger(
  seen: AnyConnection | undefined,
  now: AnyConnection,
  { writing, isHeld }: { readonly writing: RoleAlertConnectionStatus | undefined; readonly isHeld: boolean },
): Trigger {
  if (!seen || seen.metadata.generation !== now.metadata.generation) return 'edit';
  if (seen.metadata.deletionTimestamp !== now.metadata.deletionTimestamp) return 'edit';
  if (hasFinalizer(seen) !== hasFinalizer(now) && hasFinalizer(now) !== isHeld) return 'repair';
  return isKnownStatus(seen, now, writing) ? 'none' : 'repair';
}

function isKnownStatus(
  seen: { readonly status?: object },
  now: { readonly status?: object },
  writing: object | undefined,
): boolean {
  return isSameJson(seen.status, now.status) || (writing !== undefined && isSameJson(writing, now.status));
}
