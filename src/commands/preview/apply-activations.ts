// Sends the activations of plans by hand, and lists each scope again to verify them. It sends no deactivation: only the ledger of an
// operator ends one.
import { sameName } from '../../alerts/resource-id.ts';
import type { Alert } from '../../alerts/types.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { CodedError } from '../../lib/errors.ts';
import type { AlertClient } from '../../operator/alert-client/alert-client.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';
import type { ClientSet } from './client-set.ts';
import type { PlannedScope } from './planned-scope.ts';

/** One activation. */
export interface AppliedActivation extends ScopeRef {
  readonly alert: string;
  /** `Verified`: a list that began after the PATCH shows the alert active. */
  readonly result: 'Verified' | 'NotVerified' | 'Failed';
  /** Of the PATCH, or of the list that should verify it. */
  readonly error: CodedError | undefined;
}

export interface ApplyRequest {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The pauses before the lists that verify: the service may show a change late. */
const verifyAfterMs = [0, 1000, 2000, 4000];

/** Rejects with `stopped` when the signal aborts. */
export async function applyActivations(
  planned: readonly PlannedScope[],
  clients: ClientSet,
  request: ApplyRequest,
): Promise<readonly AppliedActivation[]> {
  const applied = await Promise.all(planned.map((each) => applyScope(each, clients, request)));
  return applied.flat();
}

async function applyScope(
  { ref, connection, planned }: PlannedScope,
  clients: ClientSet,
  request: ApplyRequest,
): Promise<readonly AppliedActivation[]> {
  const activations = (planned?.plan.actions ?? []).filter(({ isActive }) => isActive);
  if (!connection || activations.length === 0) return [];
  const client = await clients.of(connection);
  const sent: AppliedActivation[] = [];
  for (const { alert } of activations) sent.push(await send(client, { ...ref, alert }, request));
  return verified(client, sent, request);
}

async function send(
  client: AlertClient,
  target: ScopeRef & { readonly alert: string },
  { signal }: ApplyRequest,
): Promise<AppliedActivation> {
  const error = await errorOf(signal, () =>
    client.patchAlert(target.scope, target.alert, true, { priority: 'high', signal, beforeSend: () => undefined }),
  );
  return { ...target, result: error ? 'Failed' : 'NotVerified', error };
}

/** A PATCH that failed may have had an effect, which the list shows as well. */
async function verified(
  client: AlertClient,
  sent: readonly AppliedActivation[],
  { clock, signal }: ApplyRequest,
): Promise<readonly AppliedActivation[]> {
  let applied = sent;
  for (const delayMs of verifyAfterMs) {
    if (applied.every(({ result }) => result !== 'NotVerified') && delayMs > 0) break;
    await sleep(clock, delayMs, signal);
    const [first] = applied;
    if (!first) break;
    let alerts: readonly Alert[] = [];
    const error = await errorOf(signal, async () => {
      ({ alerts } = await client.listAlerts(first.scope, { priority: 'high', signal }));
    });
    applied = applied.map((each) => (error ? withError(each, error) : seenIn(each, alerts)));
  }
  return applied;
}

function seenIn(applied: AppliedActivation, alerts: readonly Alert[]): AppliedActivation {
  const alert = alerts.find(({ name }) => sameName(name, applied.alert));
  return alert?.isActive ? { ...applied, result: 'Verified', error: undefined } : applied;
}

function withError(applied: AppliedActivation, error: CodedError): AppliedActivation {
  return applied.result === 'NotVerified' ? { ...applied, error } : applied;
}

async function errorOf(signal: AbortSignal, call: () => Promise<unknown>): Promise<CodedError | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (!(error instanceof CodedError) || signal.aborted) throw error;
    return error;
  }
}
