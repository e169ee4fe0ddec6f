// Sends the activations of plans by hand, and lists each scope again to verify them. It sends no deactivation: only the ledger of an
// operator ends one.
import { sameName } from '../../alerts/resource-id.ts';
import type { Alert } from '../../alerts/types.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { CodedError } from '../../lib/errors.ts';
import type { AlertClient } from '../../operator/alert-client/alert-client.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';
import type { ClientOf } from './open-client.ts';
import type { PlannedScope } from './planned-scope.ts';
import type { SentActivation } from './preview.ts';

interface ActivateRequest {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The pauses before the lists that verify: the service may show a change late. */
const verifyAfterMs = [0, 1000, 2000, 4000];

/** Rejects with `stopped` when the signal aborts. */
export async function activate(
  planned: readonly PlannedScope[],
  clientOf: ClientOf,
  request: ActivateRequest,
): Promise<readonly SentActivation[]> {
  const sent = await Promise.all(planned.map((each) => activateScope(each, clientOf, request)));
  return sent.flat();
}

async function activateScope(
  { ref, connection, planned }: PlannedScope,
  clientOf: ClientOf,
  request: ActivateRequest,
): Promise<readonly SentActivation[]> {
  const activations = (planned?.plan.actions ?? []).filter(({ isActive }) => isActive);
  if (!connection || activations.length === 0) return [];
  const { client } = await clientOf(connection);
  const tried: SentActivation[] = [];
  for (const { alert } of activations) tried.push(await send(client, { ...ref, alert }, request));
  return verified(client, tried, request);
}

async function send(
  client: AlertClient,
  target: ScopeRef & { readonly alert: string },
  { signal }: ActivateRequest,
): Promise<SentActivation> {
  const error = await errorOf(signal, () =>
    client.patchAlert(target.scope, target.alert, true, { priority: 'high', signal, beforeSend: () => undefined }),
  );
  return { ...target, result: error ? 'Failed' : 'NotVerified', error };
}

/** A PATCH that failed may have had an effect, which the list shows as well. */
async function verified(
  client: AlertClient,
  tried: readonly SentActivation[],
  { clock, signal }: ActivateRequest,
): Promise<readonly SentActivation[]> {
  let sent = tried;
  for (const delayMs of verifyAfterMs) {
    if (sent.every(({ result }) => result !== 'NotVerified') && delayMs > 0) break;
    await sleep(clock, delayMs, signal);
    const [first] = sent;
    if (!first) break;
    let alerts: readonly Alert[] = [];
    const error = await errorOf(signal, async () => {
      ({ alerts } = await client.listAlerts(first.scope, { priority: 'high', signal }));
    });
    sent = sent.map((each) => (error ? withError(each, error) : seenIn(each, alerts)));
  }
  return sent;
}

function seenIn(sent: SentActivation, alerts: readonly Alert[]): SentActivation {
  const alert = alerts.find(({ name }) => sameName(name, sent.alert));
  return alert?.isActive ? { ...sent, result: 'Verified', error: undefined } : sent;
}

function withError(sent: SentActivation, error: CodedError): SentActivation {
  return sent.result === 'NotVerified' ? { ...sent, error } : sent;
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
