// Sending the actions of a batch: one PATCH each, every deactivation only after it is in the ledger and confirmed. One refused alert
// never stops the others, nor does an action that nothing declares any more; what concerns the whole connection ends the sending.
import { canonicalName } from '../alerts/resource-id.ts';
import { CodedError, isCodedError } from '../lib/errors.ts';
import type { SentWrite, WriteFailure } from '../plan/memory.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import type { Action } from '../plan/types.ts';
import type { AlertsPort, CallOptions, Observer, PatchOptions, RequestPermit, Reservation } from './ports.ts';

export interface ApplyInput {
  readonly connection: string;
  readonly scope: string;
  readonly actions: readonly Action[];
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Requests that one list takes. */
  readonly pages: number;
  readonly intervalMs: number;
}

export interface ApplyDeps {
  readonly client: AlertsPort;
  readonly observer: Observer;
  readonly nowMs: () => number;
  /** Throws `plan-outdated` unless the action would be planned now. */
  readonly check: (action: Action) => void;
  /** As `check`, in the tick of the send of a deactivation: its list has to be fresh, too. */
  readonly checkRecorded: (action: Action, recorded: RecordedDismissal) => void;
  /** Writes a deactivation down before it is sent. */
  readonly recordDismissal: (action: Action) => Promise<RecordedDismissal>;
  /** Asks the API server itself whether the deactivation is still declared and granted. */
  readonly confirm: (action: Action) => Promise<void>;
  /** Lists again unless the list is fresh. */
  readonly freshen: (call: CallOptions) => Promise<void>;
  readonly noteSent: (alert: string, write: SentWrite) => void;
  /** Called after every PATCH: whether it reached the service. */
  readonly reportReachability: (isReached: boolean) => void;
  /** False when nothing more is to be sent before a list has shown that the service answers. */
  readonly mayContinue: () => boolean;
  /** Throws unless this process may write now. Called in the tick of the send. */
  readonly checkMayWrite: () => void;
  /** Called in the tick in which a deactivation is sent. */
  readonly noteDeactivation: (action: Action) => void;
}

/** A deactivation that is in the ledger and not yet sent. */
export interface RecordedDismissal {
  /** Monotonic. */
  readonly atMs: number;
  /** Restores what was there before, for a deactivation that changed nothing. */
  readonly cancel: () => void;
}

export interface Applied {
  /** How many went out or were tried in vain. */
  readonly count: number;
  /** How many were not sent because nothing declares them any more, or because their list was too old. */
  readonly outdated: number;
  /** What ended the sending before its time; the actions behind it were not sent. */
  readonly error: CodedError | undefined;
  /** Pays for the verifying list. The caller gives back what is left. */
  readonly reservation: Reservation | undefined;
}

/** What came of one PATCH. */
interface Sending {
  /** False when it was never written to the socket, or refused: then nothing was changed by it. */
  readonly mayBeApplied: boolean;
  /** Undefined when only the error says what happened. */
  readonly write: SentWrite | undefined;
  readonly error: unknown;
}

export async function applyActions(deps: ApplyDeps, input: ApplyInput, call: CallOptions): Promise<Applied> {
  let [count, outdated] = [0, 0];
  let reservation: Reservation | undefined;
  try {
    reservation = await deps.client.reserve(requestsOf(input), call);
    for (const action of input.actions) {
      const { write, error } = await apply(deps, input, action, { ...call, prepaid: reservation });
      if (write) count++;
      else if (isOutdated(error, call)) outdated++;
      else throw error;
      if (write) deps.reportReachability(!isCodedError(error, 'service-unreachable'));
      if (write && !mayGoOn(deps, error)) break;
      // An edit of this scope, or a stop, waits for the PATCH in flight and its proof, not for the rest of the batch.
      if (call.waitSignal?.aborted) break;
    }
    return { count, outdated, error: undefined, reservation };
  } catch (error) {
    if (!(error instanceof CodedError)) {
      reservation?.release();
      throw error;
    }
    return { count, outdated, error, reservation };
  }
}

/** False after a refused credential, too: what follows would be refused as well. */
function mayGoOn(deps: ApplyDeps, error: unknown): boolean {
  return deps.mayContinue() && !isCodedError(error, 'service-denied');
}

/** Also where the rate limiter did not reach for what a permit was held for: then the list is longer than it was. */
function isOutdated(error: unknown, { signal }: CallOptions): boolean {
  return isCodedError(error, 'plan-outdated') || (isCodedError(error, 'stopped') && !signal.aborted);
}

/** The PATCHes, the verifying list, and where something is deactivated the list that makes the plan fresh. */
function requestsOf({ actions, pages }: ApplyInput): number {
  const lists = actions.every(({ isActive }) => isActive) ? 1 : 2;
  return actions.length + lists * pages;
}

async function apply(deps: ApplyDeps, input: ApplyInput, action: Action, call: CallOptions): Promise<Sending> {
  const sending = action.isActive
    ? await activate(deps, input, action, call)
    : await deactivate(deps, input, action, call);
  if (sending.write) deps.noteSent(action.alert, sending.write);
  return sending;
}

function activate(deps: ApplyDeps, input: ApplyInput, action: Action, call: CallOptions): Promise<Sending> {
  return send(deps, input, action, { ...call, beforeSend: () => deps.check(action) });
}

async function deactivate(deps: ApplyDeps, input: ApplyInput, action: Action, call: CallOptions): Promise<Sending> {
  try {
    deps.check(action);
    const recorded = await deps.recordDismissal(action);
    const sending = await sendRecorded(deps, input, action, recorded, call);
    if (!sending.mayBeApplied) recorded.cancel();
    return sending;
  } catch (error) {
    return unwritten(error);
  }
}

/**
 * The permit is kept from the fresh list to the PATCH: where one request at a time may be in flight, a list of another scope would come
 * between them every time.
 */
async function sendRecorded(
  deps: ApplyDeps,
  input: ApplyInput,
  action: Action,
  recorded: RecordedDismissal,
  call: CallOptions,
): Promise<Sending> {
  let permit: RequestPermit | undefined;
  try {
    permit = await deps.client.acquirePermit({ ...call, priority: 'high' });
    const prepaidOnly = { ...call, permit, waitSignal: noWait };
    await deps.confirm(action);
    await deps.freshen(prepaidOnly);
    return await send(deps, input, action, {
      ...prepaidOnly,
      beforeSend: () => deps.checkRecorded(action, recorded),
    });
  } catch (error) {
    return unwritten(error);
  } finally {
    permit?.release();
  }
}

/** Nothing waits for the rate limiter with a permit: what others have waited for it would wait for the permit. */
const noWait = AbortSignal.abort();

function unwritten(error: unknown): Sending {
  return { mayBeApplied: false, write: undefined, error };
}

/** Never rejects. */
async function send(deps: ApplyDeps, input: ApplyInput, action: Action, call: PatchOptions): Promise<Sending> {
  let writtenAtMs: number | undefined;
  const beforeSend = () => {
    deps.checkMayWrite();
    call.beforeSend();
    writtenAtMs = deps.nowMs();
    if (!action.isActive) deps.noteDeactivation(action);
  };
  try {
    const onRefused = () => (writtenAtMs = undefined);
    await deps.client.patchAlert(input.scope, action.alert, action.isActive, { ...call, beforeSend, onRefused });
    noteEnded(deps, input, action, 'sent');
    return { mayBeApplied: true, write: writeOf(input, action, writtenAtMs ?? deps.nowMs()), error: undefined };
  } catch (error) {
    const isWritten = writtenAtMs !== undefined;
    const write = writeOf(input, action, writtenAtMs ?? deps.nowMs());
    const failure = writeFailureOf(error, input.intervalMs, write.tries, deps.nowMs());
    const mayBeApplied = isWritten && !isCodedError(error, 'alert-refused', 'service-denied');
    if (!failure) return { mayBeApplied, write: undefined, error };
    noteEnded(deps, input, action, 'failed');
    const neverWritten = !isWritten && isNeverWritten(input, action);
    return { mayBeApplied, write: { ...write, failure, ...(neverWritten && { neverWritten }) }, error };
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

/** What concerns only this alert, or may have been applied although no answer came. Undefined for everything else. */
export function writeFailureOf(
  error: unknown,
  intervalMs: number,
  tries: number,
  nowMs: number,
): WriteFailure | undefined {
  if (isCodedError(error, 'alert-refused')) {
    return { kind: 'Refused', serviceCode: error.serviceCode, retryAtMs: nowMs + slowDelayMs(intervalMs) };
  }
  // The list was accepted a moment ago, so the credential may only lack the right to this change. The list that follows shows which.
  if (isCodedError(error, 'service-denied')) {
    const delayMs = failureDelayMs('forbidden', { intervalMs, failures: tries, retryAfterMs: undefined });
    return { kind: 'Refused', serviceCode: error.serviceCode, retryAtMs: nowMs + delayMs };
  }
  if (isCodedError(error, 'service-unreachable', 'service-protocol')) {
    const delayMs = failureDelayMs('backoff', { intervalMs, failures: tries, retryAfterMs: undefined });
    return { kind: 'Unreachable', serviceCode: error.serviceCode, retryAtMs: nowMs + delayMs };
  }
  return undefined;
}
