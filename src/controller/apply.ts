// Sending the actions of a batch: one PATCH each, every deactivation only after it is in the ledger and confirmed. One refused alert
// never stops the others, nor does an action that nothing declares any more; what concerns the whole connection ends the sending.
import { canonicalName } from '../alerts/resource-id.ts';
import { isOperatorError, OperatorError } from '../lib/errors.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import type { Action, SentWrite, WriteFailure } from '../plan/types.ts';
import type { AlertsPort, CallOptions, Observer, PatchOptions, Reservation, Slot } from './ports.ts';

export interface ApplyInput {
  readonly connection: string;
  readonly scope: string;
  readonly actions: readonly Action[];
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Requests that one list takes. */
  readonly pages: number;
  readonly intervalMs: number;
}

export interface ApplyTools {
  readonly client: AlertsPort;
  readonly observer: Observer;
  readonly nowMs: () => number;
  /** Throws `plan-outdated` unless the action would be planned now. */
  readonly check: (action: Action) => void;
  /** As `check`, in the tick of the send of a deactivation: its list has to be fresh, too. */
  readonly checkEntered: (action: Action, entered: Entered) => void;
  /** Writes a deactivation down before it is sent. */
  readonly enter: (action: Action) => Promise<Entered>;
  /** Asks the API server itself whether the deactivation is still declared and granted. */
  readonly confirm: (action: Action) => Promise<void>;
  /** Lists again unless the list is fresh. */
  readonly freshen: (call: CallOptions) => Promise<void>;
  readonly noteSent: (alert: string, write: SentWrite) => void;
  /** Called after every PATCH: whether it reached the service. */
  readonly noteReached: (isReached: boolean) => void;
  /** False when nothing more is to be sent before a list has shown that the service answers. */
  readonly mayGoOn: () => boolean;
  /** Throws unless this process may write now. Called in the tick of the send. */
  readonly checkMayWrite: () => void;
  /** Called in the tick in which a deactivation is sent. */
  readonly noteDeactivation: (action: Action) => void;
}

/** A deactivation that is in the ledger and not yet sent. */
export interface Entered {
  /** Monotonic. */
  readonly atMs: number;
  /** Restores what was there before, for a deactivation that changed nothing. */
  readonly undo: () => void;
}

export interface Applied {
  /** How many went out or were tried in vain. */
  readonly count: number;
  /** How many were not sent because nothing declares them any more, or because their list was too old. */
  readonly outdated: number;
  /** What ended the sending before its time; the actions behind it were not sent. */
  readonly error: OperatorError | undefined;
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

export async function applyActions(tools: ApplyTools, input: ApplyInput, call: CallOptions): Promise<Applied> {
  let [count, outdated] = [0, 0];
  let reservation: Reservation | undefined;
  try {
    reservation = await tools.client.reserve(requestsOf(input), call);
    for (const action of input.actions) {
      const { write, error } = await apply(tools, input, action, { ...call, prepaid: reservation });
      if (write) count++;
      else if (isOutdated(error, call)) outdated++;
      else throw error;
      if (write && !mayGoOn(tools, error)) break;
      // An edit of this scope, or a stop, waits for the PATCH in flight and its proof, not for the rest of the batch.
      if (call.patience?.aborted) break;
    }
    return { count, outdated, error: undefined, reservation };
  } catch (error) {
    if (!(error instanceof OperatorError)) {
      reservation?.release();
      throw error;
    }
    return { count, outdated, error, reservation };
  }
}

/** False after a refused credential, too: what follows would be refused as well. */
function mayGoOn(tools: ApplyTools, error: unknown): boolean {
  tools.noteReached(!isOperatorError(error, 'service-unreachable'));
  return tools.mayGoOn() && !isOperatorError(error, 'service-denied');
}

/** Also where the budget did not reach for what a slot was held for: then the list is longer than it was. */
function isOutdated(error: unknown, { signal }: CallOptions): boolean {
  return isOperatorError(error, 'plan-outdated') || (isOperatorError(error, 'stopped') && !signal.aborted);
}

/** The PATCHes, the verifying list, and where something is deactivated the list that makes the plan fresh. */
function requestsOf({ actions, pages }: ApplyInput): number {
  const lists = actions.every(({ isActive }) => isActive) ? 1 : 2;
  return actions.length + lists * pages;
}

async function apply(tools: ApplyTools, input: ApplyInput, action: Action, call: CallOptions): Promise<Sending> {
  const sending = action.isActive
    ? await activate(tools, input, action, call)
    : await deactivate(tools, input, action, call);
  if (sending.write) tools.noteSent(action.alert, sending.write);
  return sending;
}

function activate(tools: ApplyTools, input: ApplyInput, action: Action, call: CallOptions): Promise<Sending> {
  return send(tools, input, action, { ...call, beforeSend: () => tools.check(action) });
}

async function deactivate(tools: ApplyTools, input: ApplyInput, action: Action, call: CallOptions): Promise<Sending> {
  try {
    tools.check(action);
    const entered = await tools.enter(action);
    const sending = await sendEntered(tools, input, action, entered, call);
    if (!sending.mayBeApplied) entered.undo();
    return sending;
  } catch (error) {
    return unwritten(error);
  }
}

/**
 * The slot is kept from the fresh list to the PATCH: where one request at a time may be in flight, a list of another scope would come
 * between them every time.
 */
async function sendEntered(
  tools: ApplyTools,
  input: ApplyInput,
  action: Action,
  entered: Entered,
  call: CallOptions,
): Promise<Sending> {
  let slot: Slot | undefined;
  try {
    slot = await tools.client.holdSlot({ ...call, priority: 'high' });
    const prepaidOnly = { ...call, slot, patience: noPatience };
    await tools.confirm(action);
    await tools.freshen(prepaidOnly);
    return await send(tools, input, action, {
      ...prepaidOnly,
      beforeSend: () => tools.checkEntered(action, entered),
    });
  } catch (error) {
    return unwritten(error);
  } finally {
    slot?.leave();
  }
}

/** Nothing waits for the budget in a slot: what others have waited for it would wait for the slot. */
const noPatience = AbortSignal.abort();

function unwritten(error: unknown): Sending {
  return { mayBeApplied: false, write: undefined, error };
}

/** Never rejects. */
async function send(tools: ApplyTools, input: ApplyInput, action: Action, call: PatchOptions): Promise<Sending> {
  let writtenAtMs: number | undefined;
  const beforeSend = () => {
    tools.checkMayWrite();
    call.beforeSend();
    writtenAtMs = tools.nowMs();
    if (!action.isActive) tools.noteDeactivation(action);
  };
  try {
    const onRefused = () => (writtenAtMs = undefined);
    await tools.client.patchAlert(input.scope, action.alert, action.isActive, { ...call, beforeSend, onRefused });
    noteEnded(tools, input, action, 'sent');
    return { mayBeApplied: true, write: writeOf(input, action, writtenAtMs ?? tools.nowMs()), error: undefined };
  } catch (error) {
    const isWritten = writtenAtMs !== undefined;
    const write = writeOf(input, action, writtenAtMs ?? tools.nowMs());
    const failure = writeFailureOf(error, input.intervalMs, write.tries, tools.nowMs());
    const mayBeApplied = isWritten && !isOperatorError(error, 'alert-refused', 'service-denied');
    if (!failure) return { mayBeApplied, write: undefined, error };
    noteEnded(tools, input, action, 'failed');
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

function noteEnded(tools: ApplyTools, { connection }: ApplyInput, { isActive }: Action, result: 'sent' | 'failed') {
  tools.observer.actionEnded(connection, isActive ? 'activate' : 'deactivate', result);
}

/** What concerns only this alert, or may have been applied although no answer came. Undefined for everything else. */
export function writeFailureOf(
  error: unknown,
  intervalMs: number,
  tries: number,
  nowMs: number,
): WriteFailure | undefined {
  if (isOperatorError(error, 'alert-refused')) {
    return { kind: 'Refused', serviceCode: error.serviceCode, retryAtMs: nowMs + slowDelayMs(intervalMs) };
  }
  // The list was accepted a moment ago, so the credential may only lack the right to this change. The list that follows shows which.
  if (isOperatorError(error, 'service-denied')) {
    const delayMs = failureDelayMs('forbidden', { intervalMs, failures: tries, retryAfterMs: undefined });
    return { kind: 'Refused', serviceCode: error.serviceCode, retryAtMs: nowMs + delayMs };
  }
  if (isOperatorError(error, 'service-unreachable', 'service-protocol')) {
    const delayMs = failureDelayMs('backoff', { intervalMs, failures: tries, retryAfterMs: undefined });
    return { kind: 'Unreachable', serviceCode: error.serviceCode, retryAtMs: nowMs + delayMs };
  }
  return undefined;
}
