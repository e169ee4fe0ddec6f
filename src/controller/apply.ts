// Sends the actions of a batch, one PATCH each. A deactivation is sent only after the ledger has it and the API server
// has confirmed it. A refused alert or an outdated action does not stop the others; an error of the whole connection
// ends the batch.
import type { CallOptions, Reservation } from '../alert-client/alert-client.ts';
import { isAlertsError } from '../alerts/alerts-error.ts';
import { CodedError, StoppedError } from '../lib/errors.ts';
import type { Permit } from '../lib/semaphore.ts';
import type { Action } from '../plan/decisions.ts';
import type { ApplyInput, ApplyDeps, RecordedDismissal } from './apply-deps.ts';
import { isControllerError } from './controller-error.ts';
import { type Sending, send, unwritten } from './send-action.ts';

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

export async function applyActions(deps: ApplyDeps, input: ApplyInput, call: CallOptions): Promise<Applied> {
  let count = 0;
  let outdated = 0;
  let reservation: Reservation | undefined;
  try {
    reservation = await deps.client.reserve(requestsOf(input), call);
    for (const action of input.actions) {
      const { write, error } = await apply(deps, input, action, { ...call, prepaid: reservation });
      const isHeld = isHeldBack(error, call);
      const isSent = write !== undefined && !isHeld;
      if (isSent) count++;
      else if (isHeld) outdated++;
      else throw error;
      if (isSent) deps.reportReachability(!isAlertsError(error, 'service-unreachable'));
      if (isSent && !mayGoOn(deps, error)) break;
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

/**
 * True for an action that the next plan decides again: it was outdated. True as well when the reservation ran out while a permit was
 * held, because the list has become longer.
 */
function isHeldBack(error: unknown, { signal }: CallOptions): boolean {
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
  let permit: Permit | undefined;
  try {
    permit = await deps.client.acquirePermit(call.signal);
    const prepaidOnly = { ...call, permit, waitSignal: noWait };
    await deps.confirm(action);
    if ((await deps.freshen(prepaidOnly)) === 'Slowly') await deps.confirm(action);
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
