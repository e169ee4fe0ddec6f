// The I/O of a reconcile: list, plan, send, list again to verify. Returns the outcome, which operator/decide/conclude.ts
// interprets. Rejects only because of a bug.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { CodedError, StoppedError, valueOrError } from '../../lib/errors.ts';
import { isControllerError, outdated } from '../controller-error.ts';
import type { ListedPlan, Outcome, Planned } from '../decide/conclude.ts';
import type { Action } from '../decide/decisions.ts';
import type { ReconcileFailure } from '../decide/failures.ts';
import { nextBatch } from '../decide/plan.ts';
import { isDeniedScope } from '../queue/policy-index.ts';
import { callOptions, type Gathered, isResting, type Known, listScope, type ReconcileContext } from './gather.ts';
import { PlanSession } from './plan-session.ts';
import { recordHealth } from './record.ts';
import { type Attempt, sendBatch } from './send.ts';

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
  const listed = await valueOrError(async () => {
    const connected = { context, gathered, client: context.runtime.client(gathered.connection) };
    return { connected, list: await listScope(connected, callOptions(context)) };
  });
  if (listed instanceof CodedError) return notSent(context, listed);
  recordHealth(context, gathered.connection, 'Listed');
  const session = new PlanSession(listed.connected, listed.list);
  const first = session.plan();
  const { actions } = first.plan;
  return actions.length > 0 ? correct({ ...listed.connected, session }, actions) : planned(first, 'Nothing');
}

/**
 * Sends one batch. A list verifies it, which no edit aborts; the rest of the plan goes to the back of the work queue, so that other
 * scopes have their turn.
 */
async function correct(attempt: Attempt, actions: readonly Action[]): Promise<Outcome> {
  const { context, session } = attempt;
  const { runtime, ref } = context;
  const batch = nextBatch(actions, runtime.state(ref.scope).sent);
  const { count, isWhole, error } = await sendBatch(attempt, batch);
  if (count === 0) return notSent(context, error ?? outdated('nothing of the batch was sent'), session.latest);
  const list =
    error instanceof AlertsError
      ? error
      : await valueOrError(() => listScope(attempt, { priority: 'high', signal: context.signal }));
  if (list instanceof CodedError) return planned(session.plan(), 'Unverified', { error: unlessAborted(context, list) });
  const verified = session.plan(list);
  // What ended early continues at the pace of its retries.
  if (!isWhole) return planned(verified, 'Verified', { error: unlessAborted(context, error) });
  return planned(verified, 'Verified', { isPartial: verified.plan.actions.length > 0 });
}

function planned(
  listed: ListedPlan,
  sent: Planned['sent'],
  end: Partial<Pick<Planned, 'isPartial' | 'error'>> = {},
): Planned {
  return { kind: 'Planned', listed, sent, isPartial: false, error: undefined, ...end };
}

/** The outcome when no PATCH was sent. */
function notSent(context: ReconcileContext, error: CodedError, listed?: ListedPlan): Outcome {
  const { runtime, ref, urgency } = context;
  if (isControllerError(error, 'plan-outdated') && listed) return { kind: 'Outdated', listed, detail: error.detail };
  // The scope may not be listed any more; what changed that has requeued it.
  if (isControllerError(error, 'plan-outdated')) return { kind: 'Interrupted' };
  const found = listed && { listed };
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
