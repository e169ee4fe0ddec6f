// Sends one action, and notes what its PATCH may have changed.
import type { PatchOptions } from '../alert-client/alert-client.ts';
import { canonicalName } from '../alerts/resource-id.ts';
import type { Action } from '../plan/decisions.ts';
import type { SentWrite } from '../plan/memory.ts';
import type { ApplyInput, ApplyDeps } from './apply-deps.ts';
import { writeFailureOf } from './write-failure.ts';

/** The result of one PATCH. */
export interface Sending {
  /** False when it was never handed to a socket. No response proves that a PATCH changed nothing: a gateway may answer for the service. */
  readonly mayBeApplied: boolean;
  /** Undefined when `error` ends the batch or the plan was outdated. */
  readonly write: SentWrite | undefined;
  readonly error: unknown;
}

/** The result of an action that failed before its PATCH was sent. */
export function unwritten(error: unknown): Sending {
  return { mayBeApplied: false, write: undefined, error };
}

/** Never rejects. */
export async function send(deps: ApplyDeps, input: ApplyInput, action: Action, call: PatchOptions): Promise<Sending> {
  let writtenAtMs: number | undefined;
  const beforeSend = () => {
    deps.checkMayWrite();
    call.beforeSend();
    writtenAtMs = deps.nowMs();
  };
  try {
    await deps.client.patchAlert(input.scope, action.alert, action.isActive, { ...call, beforeSend });
    noteEnded(deps, input, action, 'sent');
    return { mayBeApplied: true, write: writeOf(input, action, writtenAtMs ?? deps.nowMs()), error: undefined };
  } catch (error) {
    const isWritten = writtenAtMs !== undefined;
    const write = writeOf(input, action, writtenAtMs ?? deps.nowMs());
    const failure = writeFailureOf(error, input.intervalMs, write.tries, deps.nowMs());
    if (!failure) return { mayBeApplied: isWritten, write: undefined, error };
    noteEnded(deps, input, action, 'failed');
    const neverWritten = !isWritten && isNeverWritten(input, action);
    return { mayBeApplied: isWritten, write: { ...write, failure, ...(neverWritten && { neverWritten }) }, error };
  }
}

function writeOf(input: ApplyInput, action: Action, sentAtMs: number): SentWrite {
  const { isActive, cause, policyKey, actor } = action;
  const tries = (input.sent.get(canonicalName(action.alert))?.tries ?? 0) + 1;
  return { isActive, cause, policyKey, actor, tries, sentAtMs };
}

/** True when no try before may have been applied either. */
function isNeverWritten({ sent }: ApplyInput, { alert, isActive }: Action): boolean {
  const before = sent.get(canonicalName(alert));
  return before === undefined || before.isActive !== isActive || before.neverWritten === true;
}

function noteEnded(deps: ApplyDeps, { connection }: ApplyInput, { isActive }: Action, result: 'sent' | 'failed') {
  deps.observer.actionEnded(connection, isActive ? 'activate' : 'deactivate', result);
}
