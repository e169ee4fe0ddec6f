// Announces that the API server refuses to store the status of a policy, once until all statuses of its scope are written.
import { refusedStatusEvent } from '../plan/events.ts';
import { referenceTo, type RoleAlertPolicy } from '../policy/resources.ts';
import type { ReconcileContext } from './context.ts';
import { isClusterError } from './ports.ts';

/** `error`: of a status write. Any other than a refusal says nothing. */
export function noteRefusal(context: ReconcileContext, policy: RoleAlertPolicy, error: unknown): void {
  const { deps, runtime, ref } = context;
  if (!isClusterError(error, 'kube-denied', 'kube-invalid') || isRefused(context, policy)) return;
  runtime.step(ref.scope, { kind: 'StatusRefused', uid: policy.metadata.uid });
  deps.events.record({ regarding: referenceTo(policy), ...refusedStatusEvent(error.code) });
}

/** True while the last write of its status was refused. */
export function isRefused({ runtime, ref }: ReconcileContext, { metadata }: RoleAlertPolicy): boolean {
  return runtime.state(ref.scope).refused.has(metadata.uid);
}
