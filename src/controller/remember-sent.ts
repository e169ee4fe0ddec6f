// Notes in the state of the scope what was sent.
import type { Action } from '../plan/decisions.ts';
import type { SentWrite } from '../plan/memory.ts';
import type { ReconcileContext } from './context.ts';
import type { Gathered } from './gather.ts';

/** Adds a PATCH that was sent or tried to the state of the scope. */
export function rememberSent(
  { runtime, ref, deps }: ReconcileContext,
  gathered: Gathered,
  alert: string,
  write: SentWrite,
): void {
  if (!write.failure) runtime.statusWriter.noteAnswered({ scope: ref.scope, alert }, write.isActive);
  const uid = gathered.policies.find(({ key }) => key === write.policyKey)?.policy.metadata.uid;
  const isThere = deps.cluster.policies.get(write.policyKey ?? '')?.metadata.uid === uid;
  runtime.step(ref.scope, { kind: 'Sent', alert, write: isThere ? write : { ...write, policyKey: undefined } });
}

/** Counts a deactivation for damping. */
export function rememberDeactivation(
  context: ReconcileContext,
  { policies }: Gathered,
  { alert, policyKey }: Action,
): void {
  const policy = policies.find(({ key }) => key === policyKey)?.policy;
  const nowMs = context.deps.clock.now();
  if (policy) context.runtime.step(context.ref.scope, { kind: 'Deactivating', policy, alert, nowMs });
}
