// Sending the actions of a plan: activations first, one PATCH each, every deactivation only after it stands in the ledger.
// One refused alert never stops the others; what concerns the whole connection ends the sending.
import { canonicalName } from '../alerts/resource-id.ts';
import { isOperatorError, OperatorError } from '../lib/errors.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import type { Action, SentWrite, WriteFailure } from '../plan/types.ts';
import type { AlertsPort, CallOptions, Observer, Reservation } from './ports.ts';
import type { Urgency } from './queue.ts';

export interface ApplyInput {
  readonly connection: string;
  readonly scope: string;
  readonly actions: readonly Action[];
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Requests that the verifying list will take. */
  readonly pages: number;
  readonly intervalMs: number;
  readonly urgency: Urgency;
}

export interface ApplyTools {
  readonly client: AlertsPort;
  readonly observer: Observer;
  readonly nowMs: () => number;
  /** Writes a deactivation down before it is sent. */
  readonly enter: (action: Action) => Promise<void>;
  /** Throws unless this process may write now. Called in the tick of the send. */
  readonly checkMayWrite: () => void;
}

export interface Applied {
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** How many went out, answered or not. */
  readonly count: number;
  /** What ended the sending before its time; the actions behind it were not sent. */
  readonly error: OperatorError | undefined;
  /** Pays for the verifying list. The caller gives back what is left. */
  readonly reservation: Reservation | undefined;
}

export async function applyActions(tools: ApplyTools, input: ApplyInput, signal: AbortSignal): Promise<Applied> {
  const sent = new Map(input.sent);
  const call: CallOptions = { priority: input.urgency === 'edit' ? 'high' : 'low', signal };
  let count = 0;
  let reservation: Reservation | undefined;
  try {
    reservation = await tools.client.reserve(input.actions.length + input.pages, call);
    for (const action of activationsFirst(input.actions)) {
      if (!action.isActive) await tools.enter(action);
      const write = await send(tools, input, action, { ...call, prepaid: reservation });
      count++;
      sent.set(canonicalName(action.alert), write);
    }
    return { sent, count, error: undefined, reservation };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { sent, count, error, reservation };
  }
}

function activationsFirst(actions: readonly Action[]): Action[] {
  return [...actions].sort((a, b) => Number(b.isActive) - Number(a.isActive));
}

async function send(tools: ApplyTools, input: ApplyInput, action: Action, call: CallOptions): Promise<SentWrite> {
  const { alert, isActive, cause, policyKey, actor } = action;
  const tries = (input.sent.get(canonicalName(alert))?.tries ?? 0) + 1;
  const write = { isActive, cause, policyKey, actor, tries, sentAtMs: tools.nowMs() };
  const direction = isActive ? 'activate' : 'deactivate';
  try {
    await tools.client.patchAlert(input.scope, alert, isActive, { ...call, beforeSend: tools.checkMayWrite });
    tools.observer.actionEnded(input.connection, direction, 'sent');
    return write;
  } catch (error) {
    const failure = writeFailureOf(error, input.intervalMs, tries, tools.nowMs());
    if (!failure) throw error;
    tools.observer.actionEnded(input.connection, direction, 'failed');
    return { ...write, failure };
  }
}

/** What concerns only this alert, or may have been applied although no answer came. Undefined for everything else. */
function writeFailureOf(error: unknown, intervalMs: number, tries: number, nowMs: number): WriteFailure | undefined {
  if (isOperatorError(error, 'alert-refused')) {
    return { kind: 'Refused', serviceCode: error.serviceCode, retryAtMs: nowMs + slowDelayMs(intervalMs) };
  }
  if (isOperatorError(error, 'service-unreachable', 'service-protocol')) {
    const delayMs = failureDelayMs('backoff', { intervalMs, failures: tries, retryAfterMs: undefined });
    return { kind: 'Unreachable', serviceCode: error.serviceCode, retryAtMs: nowMs + delayMs };
  }
  return undefined;
}
