// Notes in the state of the scope what was sent.
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
