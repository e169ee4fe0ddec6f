// Sending the actions of a plan: activations first, one PATCH each, every deactivation only after it stands in the ledger.
// One refused alert never stops the others; what concerns the whole connection ends the sending.
import { canonicalName } from '../alerts/resource-id.ts';
import { isOperatorError, OperatorError } from '../lib/errors.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import type { Action, SentWrite, WriteFailure } from '../plan/types.ts';
import type { AlertsPort, CallOptions, Observer, Reservation } from './ports.ts';

export interface ApplyInput {
  readonly connection: string;
  readonly scope: string;
  readonly actions: readonly Action[];
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Requests that the verifying list will take. */
  readonly pages: number;
  readonly intervalMs: number;
}

export interface ApplyTools {
  readonly client: AlertsPort;
  readonly observer: Observer;
  readonly nowMs: () => number;
  /** Enters a deactivation in the ledger before it is sent. Resolves with what takes it back when it had no effect. */
  readonly enter: (action: Action) => Promise<() => void>;
  /** Told of every PATCH whether it reached the service. False when nothing more is to be sent before a list has shown that it is there. */
  readonly noteReached: (isReached: boolean) => boolean;
  /** Throws unless this process may write now. Called in the tick of the send. */
  readonly checkMayWrite: () => void;
  /** Called in the tick in which a deactivation is sent. */
  readonly noteDeactivation: (action: Action) => void;
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

export async function applyActions(tools: ApplyTools, input: ApplyInput, call: CallOptions): Promise<Applied> {
  const sent = new Map(input.sent);
  let count = 0;
  let reservation: Reservation | undefined;
  try {
    reservation = await tools.client.reserve(input.actions.length + input.pages, call);
    for (const action of inOrder(input)) {
      const takeBack = action.isActive ? undefined : await tools.enter(action);
      const { write, isReached, isDenied } = await send(tools, input, action, { ...call, prepaid: reservation });
      count++;
      if (write.failure?.kind === 'Refused') takeBack?.();
      sent.set(canonicalName(action.alert), write);
      if (!tools.noteReached(isReached) || isDenied) break;
    }
    return { sent, count, error: undefined, reservation };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { sent, count, error, reservation };
  }
}

/** Activations first, and of those what was tried the least, so that alerts that always fail keep no other one waiting. */
function inOrder({ actions, sent }: ApplyInput): Action[] {
  return [...actions].sort((a, b) => Number(b.isActive) - Number(a.isActive) || triesOf(sent, a) - triesOf(sent, b));
}

function triesOf(sent: ApplyInput['sent'], { alert }: Action): number {
  return sent.get(canonicalName(alert))?.tries ?? 0;
}

async function send(
  tools: ApplyTools,
  input: ApplyInput,
  action: Action,
  call: CallOptions,
): Promise<{ write: SentWrite; isReached: boolean; isDenied: boolean }> {
  const { alert, isActive, cause, policyKey, actor } = action;
  const tries = triesOf(input.sent, action) + 1;
  const write = { isActive, cause, policyKey, actor, tries, sentAtMs: tools.nowMs() };
  const direction = isActive ? 'activate' : 'deactivate';
  try {
    const beforeSend = () => {
      tools.checkMayWrite();
      if (!isActive) tools.noteDeactivation(action);
    };
    await tools.client.patchAlert(input.scope, alert, isActive, { ...call, beforeSend });
    tools.observer.actionEnded(input.connection, direction, 'sent');
    return { write, isReached: true, isDenied: false };
  } catch (error) {
    const failure = writeFailureOf(error, input.intervalMs, tries, tools.nowMs());
    if (!failure) throw error;
    tools.observer.actionEnded(input.connection, direction, 'failed');
    const isReached = !isOperatorError(error, 'service-unreachable');
    return { write: { ...write, failure }, isReached, isDenied: isOperatorError(error, 'service-denied') };
  }
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
