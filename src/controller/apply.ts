// Sends the actions of a batch, one PATCH each. A deactivation is sent only after the ledger has it and the API server
// has confirmed it. A refused alert or an outdated action does not stop the others; an error of the whole connection
// ends the batch.
import { isAlertsError } from '../alerts/alerts-error.ts';
import { canonicalName } from '../alerts/resource-id.ts';
import { CodedError, StoppedError } from '../lib/errors.ts';
import type { SentWrite, WriteFailure } from '../plan/memory.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import type { Action } from '../plan/types.ts';
import { isControllerError } from './controller-error.ts';
import type { AlertsPort, CallOptions, Observer, PatchOptions, RequestPermit, Reservation } from './ports.ts';

export interface ApplyInput {
  readonly connection: string;
  readonly scope: string;
  readonly actions: readonly Action[];
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Number of requests of one list. */
  readonly pages: number;
  readonly intervalMs: number;
}

export interface ApplyDeps {
  readonly client: AlertsPort;
  readonly observer: Observer;
  readonly nowMs: () => number;
  /** Throws `plan-outdated` unless the action would be planned now. */
  readonly check: (action: Action) => void;
  /** Like `check`, for a deactivation in the tick of its send; the list has to be fresh as well. */
  readonly checkRecorded: (action: Action, recorded: RecordedDismissal) => void;
  /** Records a deactivation in the ledger before it is sent. */
  readonly recordDismissal: (action: Action) => Promise<RecordedDismissal>;
  /** Confirms at the API server that the deactivation is still declared and granted. */
  readonly confirm: (action: Action) => Promise<void>;
  /** Lists again unless the list is fresh. */
  readonly freshen: (call: CallOptions) => Promise<void>;
  readonly noteSent: (alert: string, write: SentWrite) => void;
  /** Called after every PATCH with whether it reached the service. */
  readonly reportReachability: (isReached: boolean) => void;
  /** False when a list has to show that the service responds before anything more is sent. */
  readonly mayContinue: () => boolean;
  /** Throws unless this process may write now. Called in the tick of the send. */
  readonly checkMayWrite: () => void;
  /** Called in the tick in which a deactivation is sent. */
  readonly noteDeactivation: (action: Action) => void;
}

/** A deactivation that the ledger has and that is not sent yet. */
export interface RecordedDismissal {
  /** When it was recorded; monotonic milliseconds. */
  readonly atMs: number;
  /** Restores the previous entry. For a deactivation that certainly had no effect. */
  readonly cancel: () => void;
}

export interface Applied {
  /** Number of PATCHes that were sent or tried. */
  readonly count: number;
  /** Number of actions that were not sent because the plan was outdated or the list too old. */
  readonly outdated: number;
  /** The error that ended the batch early; the remaining actions were not sent. */
  readonly error: CodedError | undefined;
  /** Pays for the verifying list. The caller releases it. */
  readonly reservation: Reservation | undefined;
}

/** The result of one PATCH. */
interface Sending {
  /** False when it was never written to the socket, or was refused: then it changed nothing. */
  readonly mayBeApplied: boolean;
  /** Undefined when `error` ends the batch or the plan was outdated. */
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
      if (write) deps.reportReachability(!isAlertsError(error, 'service-unreachable'));
      if (write && !mayGoOn(deps, error)) break;
      // An edit of this scope, or a stop, waits for the PATCH in flight and its verification, not for the rest of the
      // batch.
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

/** False after a refused credential as well, because the service would refuse the rest of the batch. */
function mayGoOn(deps: ApplyDeps, error: unknown): boolean {
  return deps.mayContinue() && !isAlertsError(error, 'service-denied');
}

/** True as well when the reservation ran out while a permit was held, because the list has become longer. */
function isOutdated(error: unknown, { signal }: CallOptions): boolean {
  return isControllerError(error, 'plan-outdated') || (error instanceof StoppedError && !signal.aborted);
}

/** The PATCHes, the verifying list and, for deactivations, the fresh list before them. */
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
 * Holds one permit from the fresh list to the PATCH: with `maxConcurrent: 1` the list of another scope would otherwise
 * come between them every time.
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

/**
 * A request that holds a permit never waits for the rate limiter, because the requests before it there may wait for the
 * permit.
 */
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
    const mayBeApplied = isWritten && !isAlertsError(error, 'alert-refused', 'service-denied');
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

/**
 * The failure of a PATCH that concerns only this alert or may have been applied without a response. Undefined for any
 * other error.
 */
export function writeFailureOf(
  error: unknown,
  intervalMs: number,
  tries: number,
  nowMs: number,
): WriteFailure | undefined {
  if (isAlertsError(error, 'alert-refused')) {
    return { kind: 'Refused', serviceCode: error.serviceCode, retryAtMs: nowMs + slowDelayMs(intervalMs) };
  }
  // The service has just accepted the credential for the list, so it may only lack the permission for this change. The
  // next list shows which.
  if (isAlertsError(error, 'service-denied')) {
    const delayMs = failureDelayMs('forbidden', { intervalMs, failures: tries, retryAfterMs: undefined });
    return { kind: 'Refused', serviceCode: error.serviceCode, retryAtMs: nowMs + delayMs };
  }
  if (isAlertsError(error, 'service-unreachable', 'service-protocol')) {
    const delayMs = failureDelayMs('backoff', { intervalMs, failures: tries, retryAfterMs: undefined });
    return { kind: 'Unreachable', serviceCode: error.serviceCode, retryAtMs: nowMs + delayMs };
  }
  return undefined;
}
