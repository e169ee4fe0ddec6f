// Sends actions one after the other, one PATCH each. In the tick of each send it must still be planned. A deactivation goes out right
// after a list, once the ledger has it and the API server has confirmed it. A refused alert or an outdated action does
// not stop the others; an error of the whole connection does.
import { type AlertsErrorCode, isAlertsError } from '../../alerts/alerts-error.ts';
import { canonicalName, sameName } from '../../alerts/resource-id.ts';
import { CodedError, StoppedError, valueOrError } from '../../lib/errors.ts';
import type { Permit } from '../../lib/semaphore.ts';
import { hasFinalizer } from '../../policy/deletion.ts';
import { grantOf } from '../../policy/grant.ts';
import { type AnyConnection, clusterConnectionKind } from '../../policy/resources.ts';
import type { CallOptions, PatchOptions } from '../alert-client/alert-client.ts';
import { isProbablyAway } from '../connection/connection-state.ts';
import { ControllerError, isControllerError, outdated } from '../controller-error.ts';
import type { Action } from '../decide/decisions.ts';
import type { RetryPace } from '../decide/failures.ts';
import { endsDismissal } from '../decide/plan.ts';
import { failureDelayMs } from '../decide/schedule.ts';
import type { PendingWrite, WriteFailure } from '../decide/writes.ts';
import { declarationOf } from '../dismissals/register.ts';
import type { ClusterPort } from '../ports.ts';
import { callOptions, type Connected, type Gathered, isAsGathered, listedScope, listScope } from './gather.ts';
import { freshMs, type PlanSession, type RecordedDismissal } from './plan-session.ts';

/** An attempt after its first complete list. */
export interface Attempt extends Connected {
  readonly session: PlanSession;
}

export interface SentBatch {
  /** Number of PATCHes that were sent or tried. */
  readonly count: number;
  /** False when the remaining actions were not tried. */
  readonly isWhole: boolean;
  /** The error that ended the sending. */
  readonly error: CodedError | undefined;
}

export async function sendBatch(attempt: Attempt, actions: readonly Action[]): Promise<SentBatch> {
  const { runtime } = attempt.context;
  // The end of a dismissal overtakes resyncs and the rest of a large plan.
  const call = { ...callOptions(attempt.context), ...(actions.some(endsDismissal) && { priority: 'high' as const }) };
  let count = 0;
  for (const action of actions) {
    try {
      const error = await (action.isActive ? activate : deactivate)(attempt, action, call);
      count++;
      // A list has to ask first whether the service responds and whether it accepts the credential.
      const mayGoOn = !isProbablyAway(runtime.connection) && !isAlertsError(error, 'service-denied');
      if (!mayGoOn) return { count, isWhole: false, error: undefined };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      if (!isHeldBack(error, call)) return { count, isWhole: false, error };
    }
  }
  return { count, isWhole: true, error: undefined };
}

/**
 * True for an action that the next plan decides again: it was outdated, its list has become longer than what was reserved for
 * it, or another spec of the connection has another client.
 */
function isHeldBack(error: CodedError, { signal, waitSignal }: CallOptions): boolean {
  if (error instanceof StoppedError) return !signal.aborted && waitSignal?.aborted !== true;
  return isControllerError(error, 'plan-outdated');
}

function activate(attempt: Attempt, action: Action, call: CallOptions): Promise<CodedError | undefined> {
  return send(attempt, action, { ...call, beforeSend: () => attempt.session.check(action) });
}

/** Waits for the rate limiter before anything else: from then on no other request of the connection delays it. */
async function deactivate(attempt: Attempt, action: Action, call: CallOptions): Promise<CodedError | undefined> {
  const { client, session } = attempt;
  const reservation = await client.reserve(session.pages + 1, call);
  try {
    session.check(action);
    return await sendRecorded(attempt, action, await record(attempt, action), { ...call, prepaid: reservation });
  } finally {
    reservation.release();
  }
}

/**
 * Holds one permit from the list to the PATCH: with `maxConcurrent: 1` the list of another scope would otherwise come between
 * them every time.
 */
async function sendRecorded(
  attempt: Attempt,
  action: Action,
  recorded: RecordedDismissal,
  call: CallOptions,
): Promise<CodedError | undefined> {
  let permit: Permit | undefined;
  let mayBeApplied = false;
  const beforeSend = () => {
    attempt.session.checkRecorded(action, recorded);
    mayBeApplied = true;
  };
  try {
    permit = await attempt.client.acquirePermit(call.signal);
    const held = { ...call, permit };
    await confirm(attempt, action);
    await freshen(attempt, action, held);
    return await send(attempt, action, { ...held, beforeSend });
  } finally {
    permit?.release();
    // No response proves that a PATCH changed nothing: a gateway may answer for the service.
    if (!mayBeApplied) recorded.cancel();
  }
}

async function record({ context, gathered }: Attempt, { alert, policyKey = '' }: Action): Promise<RecordedDismissal> {
  const { runtime, ref, deps } = context;
  const policy = gathered.policies.find(({ key }) => key === policyKey)?.policy;
  const declaration = policy ? declarationOf(policy, policyKey, alert) : { policy: policyKey };
  const entry = { scope: ref.scope, alert, ...declaration };
  const atMs = deps.clock.monotonic();
  return { atMs, ...(await runtime.statusWriter.recordDismissal(entry, policy?.metadata.namespace ?? '')) };
}

function confirm({ context, gathered }: Attempt, action: Action): Promise<void> {
  return confirmDeactivation(context.deps.cluster, gathered, action, context.signal);
}

/** Lists again unless the list is fresh. If that takes long, the confirmation before it is old. */
async function freshen(attempt: Attempt, action: Action, call: CallOptions): Promise<void> {
  const { session, context } = attempt;
  if (session.isFresh) return;
  const list = await listScope(attempt, call);
  const endedMs = context.deps.clock.monotonic();
  session.plan(list, endedMs);
  if (endedMs - list.begunMs > freshMs) await confirm(attempt, action);
}

/**
 * Resolves with the error of a PATCH that concerns only its alert, or that may have been applied without a response; rejects with any
 * other.
 */
async function send(attempt: Attempt, action: Action, call: PatchOptions): Promise<CodedError | undefined> {
  const { context, gathered, client } = attempt;
  const { deps, runtime, ref } = context;
  const { alert, isActive, cause, policyKey, actor } = action;
  const before = runtime.state(ref.scope).sent.get(canonicalName(alert));
  let writtenAtMs: number | undefined;
  const beforeSend = () => {
    // Not `stopped`: the process may lead again soon, and the reconcile retries.
    if (!deps.mayWrite()) throw new ControllerError('not-leading', 'This process may not write now.');
    call.beforeSend();
    writtenAtMs = deps.clock.now();
  };
  const result = await valueOrError(() =>
    client.patchAlert(listedScope(gathered), alert, isActive, { ...call, beforeSend }),
  );
  const error = result instanceof CodedError ? result : undefined;
  const tries = (before?.tries ?? 0) + 1;
  // No try before may have been applied either.
  const isNotWritten =
    writtenAtMs === undefined && (before?.isActive !== isActive || before.failure?.kind === 'NotWritten');
  const nowMs = deps.clock.now();
  const failure = error && writeFailureOf(error, { intervalMs: gathered.intervalMs, tries, isNotWritten, nowMs });
  if (error && !failure) throw error;
  const write = { isActive, cause, policyKey, actor, tries, sentAtMs: writtenAtMs ?? nowMs };
  remember(attempt, alert, { ...write, ...(failure && { failure }) });
  deps.observer.actionEnded(ref.connection, isActive ? 'activate' : 'deactivate', failure ? 'failed' : 'sent');
  const isUnreached = isAlertsError(error, 'service-unreachable');
  runtime.apply(isUnreached ? { kind: 'PatchUnreached', scope: ref.scope } : { kind: 'PatchAnswered' });
  return error;
}

/** Adds a PATCH that was sent or tried to the state of the scope. */
function remember({ context, gathered }: Attempt, alert: string, write: PendingWrite): void {
  const { runtime, ref, deps } = context;
  if (!write.failure) runtime.statusWriter.ledger.patchAccepted({ scope: ref.scope, alert }, write.isActive);
  const uid = gathered.policies.find(({ key }) => key === write.policyKey)?.policy.metadata.uid;
  const isThere = deps.cluster.policies.get(write.policyKey ?? '')?.metadata.uid === uid;
  runtime.step(ref.scope, { kind: 'Sent', alert, write: isThere ? write : { ...write, policyKey: undefined } });
}

/**
 * A cache may lag behind while its watch is silent, and a deactivation must not depend on an outdated declaration or grant; an activation may.
 * Resolves when the API server still has the policy and the connection of the plan: same uid, same generation, not
 * being deleted; and when the connection still has the dismissal in its ledger, which another writer may have wiped, and the finalizer.
 * Otherwise rejects with `plan-outdated`; the watch delivers the change, and the scope is planned again.
 */
export async function confirmDeactivation(
  cluster: Pick<ClusterPort, 'readPolicy' | 'readConnection' | 'readNamespace'>,
  { ref, policies, connection }: Pick<Gathered, 'ref' | 'policies' | 'connection'>,
  action: Action,
  signal: AbortSignal,
): Promise<void> {
  const policy = policies.find(({ key }) => key === action.policyKey)?.policy;
  if (!policy || !connection) throw outdated('nothing to confirm');
  const { namespace, name } = policy.metadata;
  const isClusterConnection = connection.kind === clusterConnectionKind;
  const [policyNow, connectionNow, namespaceNow] = await Promise.all([
    cluster.readPolicy(namespace, name, signal),
    cluster.readConnection(connection.metadata.namespace, connection.metadata.name, signal),
    isClusterConnection ? cluster.readNamespace(namespace, signal) : undefined,
  ]);
  if (!isAsGathered(policyNow, policy)) throw outdated('the API server has another policy');
  if (!isAsGathered(connectionNow, connection)) throw outdated('the API server has another connection');
  if (!isRecorded(connectionNow, ref.scope, action.alert)) throw outdated('the API server does not have the dismissal');
  const grant = grantOf(connectionNow, policyNow, namespaceNow);
  if (grant.deactivation !== 'Allow') throw outdated('the connection no longer grants the deactivation');
}

/** Without the finalizer the ledger could go with the connection before the alert is active again. */
function isRecorded(connection: AnyConnection, scope: string, alert: string): boolean {
  const entries = connection.status?.dismissals ?? [];
  return hasFinalizer(connection) && entries.some((entry) => entry.scope === scope && sameName(entry.alert, alert));
}

/** Any other failure concerns the whole connection. */
const paces: Partial<Readonly<Record<AlertsErrorCode, RetryPace>>> = {
  'alert-refused': 'after-interval',
  // The service has just accepted the credential for the list, so it may only lack the permission for this change. The
  // next list shows which.
  'service-denied': 'forbidden',
  'service-unreachable': 'backoff',
  'service-protocol': 'backoff',
};

/** The failure of a PATCH that concerns only this alert or may have been applied without a response. Undefined for any other error. */
export function writeFailureOf(
  error: unknown,
  facts: {
    readonly intervalMs: number;
    readonly tries: number;
    readonly isNotWritten: boolean;
    readonly nowMs: number;
  },
): WriteFailure | undefined {
  const pace = isAlertsError(error) ? paces[error.code] : undefined;
  if (!isAlertsError(error) || !pace) return undefined;
  const { intervalMs, tries, isNotWritten, nowMs } = facts;
  const retryAtMs = nowMs + failureDelayMs(pace, { intervalMs, failures: tries, retryAfterMs: undefined });
  const kind = pace !== 'backoff' ? 'Refused' : isNotWritten ? 'NotWritten' : 'Unreachable';
  return { kind, serviceCode: error.serviceCode, retryAtMs };
}
