// The I/O of a reconcile: list, plan, apply a batch, list again to verify. Returns the outcome, which plan/conclude.ts
// interprets. Rejects only because of a bug.
import type { CallOptions } from '../alert-client/alert-client.ts';
import { AlertsError } from '../alerts/alerts-error.ts';
import type { AlertList } from '../alerts/types.ts';
import { CodedError, StoppedError } from '../lib/errors.ts';
import { batchLimit, endsDismissal, nextBatch } from '../plan/batch.ts';
import type { Action } from '../plan/decisions.ts';
import type { ReconcileFailure } from '../plan/failures.ts';
import type { Outcome, Seen } from '../plan/outcome.ts';
import { applyBatch, listedScope, listOptions, type Attempt } from './apply-batch.ts';
import type { Applied } from './apply.ts';
import { Basis, beginList, type Known } from './basis.ts';
import { noteHealth } from './connection-health.ts';
import type { ReconcileContext } from './context.ts';
import { isControllerError } from './controller-error.ts';
import { type Gathered, isResting } from './gather.ts';
import { outdated } from './outdated.ts';
import { isDeniedScope } from './policy-index.ts';

const missingInShardMs = 5000;
/** The watches of policies and connections are independent: a policy may arrive before its connection. */
const missingMs = 1000;
/** The watches of policies and namespaces are independent: a policy may arrive before its namespace. */
const unknownNamespaceMs = 5000;

export async function attempt(context: ReconcileContext, gathered: Gathered): Promise<Outcome> {
  const { runtime, ref, urgency } = context;
  const { connection } = gathered;
  if (gathered.policies.length === 0 && gathered.ledger.length === 0) return { kind: 'NotNeeded' };
  if (!connection) return withoutConnection(context, gathered);
  if (gathered.deletion !== 'None' && gathered.ledger.length === 0) return { kind: 'Deleting' };
  if (isResting(gathered)) return { kind: 'Suspended' };
  if (isDeniedScope(ref.scope)) return denied(context, gathered);
  runtime.turns.join(ref.scope);
  // An edit may have repaired the connection, so it does not wait with it.
  // So does an activation for which the deletion of the namespace does not wait long.
  const failure = runtime.blockingFailure(ref.scope, gathered.deletion === 'Namespace' ? 'edit' : urgency);
  return failure ? blocked(context, failure) : listAndCorrect(context, { ...gathered, connection });
}

/**
 * Waits a second first for a new policy, so that one that is created with its connection is not Stalled first; in a shard a few
 * seconds for any, because another shard may serve the connection.
 */
async function withoutConnection({ deps, runtime, ref }: ReconcileContext, { policies }: Gathered): Promise<Outcome> {
  const { shard, clock } = deps;
  try {
    if (await shard.isServedByOther(ref.connection)) return { kind: 'NotNeeded' };
  } catch (error) {
    return { kind: 'Broken', error };
  }
  const isNew = policies.some(({ policy }) => (policy.status?.observedGeneration ?? -1) < 0);
  const graceMs = shard.isSharded ? missingInShardMs : isNew ? missingMs : 0;
  const delayMs = runtime.state(ref.scope).lastListMs + graceMs - clock.monotonic();
  return delayMs > 0 ? { kind: 'Deferred', delayMs } : { kind: 'NoConnection' };
}

/** Waits a few seconds for the namespace, so that a policy that is created with it is not denied first. */
function denied({ deps, runtime, ref }: ReconcileContext, { policies }: Gathered): Outcome {
  const isUnknown = policies.some(({ grant }) => grant.list === 'Unknown');
  const delayMs = runtime.state(ref.scope).lastListMs + unknownNamespaceMs - deps.clock.monotonic();
  return isUnknown && delayMs > 0 ? { kind: 'Deferred', delayMs } : { kind: 'AccessDenied' };
}

async function listAndCorrect(context: ReconcileContext, gathered: Known): Promise<Outcome> {
  const { deps, runtime } = context;
  const begun = beginList(deps.clock);
  const listed = await valueOrError(async () => {
    const client = runtime.client(gathered.connection);
    return { client, list: await client.listAlerts(listedScope(gathered), listOptions(context)) };
  });
  if (listed instanceof CodedError) return notSent(context, listed);
  const { client, list } = listed;
  noteHealth(context, gathered.connection, 'Listed');
  const basis = new Basis(context, gathered, { list, ...begun });
  const { actions } = basis.plan;
  return actions.length > 0
    ? correct({ context, gathered, client, basis }, actions)
    : { kind: 'Planned', seen: seenBy(basis), sent: 'Nothing', isPartial: false, error: undefined };
}

async function correct(attempt: Attempt, actions: readonly Action[]): Promise<Outcome> {
  const batch = batchOf(attempt, actions);
  const applied = await applyBatch(attempt, batch);
  try {
    // A batch that ended early continues at the pace of its retries.
    const isWhole = applied.count + applied.outdated === batch.length;
    return await verified(attempt, applied, isWhole && batch.length < actions.length);
  } finally {
    applied.reservation?.release();
  }
}

/** Lists again to verify what was sent. If that list fails, the writes remain unverified. */
async function verified(attempt: Attempt, applied: Applied, isPartial: boolean): Promise<Outcome> {
  const { context, basis } = attempt;
  const { count, error } = applied;
  if (count === 0) return notSent(context, error ?? outdated('nothing of the batch was sent'), seenBy(basis));
  const begun = beginList(context.deps.clock);
  const list = error instanceof AlertsError ? error : await listToVerify(attempt, applied);
  if (list instanceof CodedError) {
    basis.renew();
    return {
      kind: 'Planned',
      seen: seenBy(basis),
      sent: 'Unverified',
      isPartial: false,
      error: unlessAborted(context, list),
    };
  }
  basis.renew({ list, ...begun });
  return { kind: 'Planned', seen: seenBy(basis), sent: 'Verified', isPartial, error: unlessAborted(context, error) };
}

/** The outcome when no PATCH was sent. */
function notSent(context: ReconcileContext, error: CodedError, seen?: Seen): Outcome {
  const { runtime, ref, urgency } = context;
  if (isControllerError(error, 'plan-outdated') && seen) return { kind: 'Outdated', seen, detail: error.detail };
  // The scope may not be listed any more; what changed that has requeued it.
  if (isControllerError(error, 'plan-outdated')) return { kind: 'Interrupted' };
  const found = seen && { seen };
  if (error instanceof AlertsError) return { kind: 'Failed', error, ...found };
  if (!isWaitAborted(context, error)) return { kind: 'Broken', error, ...found };
  const failure = runtime.blockingFailure(ref.scope, urgency);
  // Otherwise an edit aborted the wait, and its own reconcile is due.
  return failure ? { ...blocked(context, failure), ...found } : { kind: 'Interrupted', ...found };
}

/** Waits in the same tick as the check: a connection that works again meanwhile must requeue the scope. */
function blocked({ runtime, ref }: ReconcileContext, failure: ReconcileFailure): Outcome {
  if (failure.pace !== 'retry-after') runtime.workQueue.hold(ref.scope);
  return { kind: 'Blocked', failure };
}

/**
 * Drops the error of an abort between two PATCHes: the sent ones are unverified writes, which have their own schedule.
 */
function unlessAborted(context: ReconcileContext, error: CodedError | undefined): CodedError | undefined {
  return isWaitAborted(context, error) ? undefined : error;
}

/** True when the wait for the rate limiter was aborted. */
function isWaitAborted({ signal, waitSignal }: ReconcileContext, error: unknown): boolean {
  return error instanceof StoppedError && waitSignal.aborted && !signal.aborted;
}

function seenBy({ plan, corrections }: Basis): Seen {
  return { plan, corrections };
}

function batchOf({ context, gathered, basis }: Attempt, actions: readonly Action[]): Action[] {
  const { runtime, ref, urgency } = context;
  const { sent, batches } = runtime.state(ref.scope);
  const isUrgent = urgency === 'edit' || actions.some(endsDismissal);
  const limit = batchLimit(gathered.connection.spec.limits.burst, basis.pages, isUrgent);
  runtime.step(ref.scope, { kind: 'BatchBegun' });
  return nextBatch(actions, { sent, limit, round: batches });
}

/** The verifying list has high priority, and an edit does not abort it. */
function listToVerify(
  { context, gathered, client }: Attempt,
  { reservation }: Applied,
): Promise<AlertList | CodedError> {
  const call: CallOptions = {
    priority: 'high',
    signal: context.signal,
    beforeSend: listOptions(context).beforeSend,
    ...(reservation && { prepaid: reservation }),
  };
  return valueOrError(() => client.listAlerts(listedScope(gathered), call));
}

async function valueOrError<T>(call: () => Promise<T>): Promise<T | CodedError> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}
