// Reconciles one work item: gather what the caches hold, attempt to list and correct, conclude (operator/decide/conclude.ts),
// record. A failure shows in every status that the reconcile is responsible for, and cannot affect other reconciles.
import { errorFields } from '../../lib/errors.ts';
import { jitter } from '../../lib/random.ts';
import { conclude, type Conclusion, type Outcome } from '../decide/conclude.ts';
import { endKindOf, failureOf } from '../decide/failures.ts';
import { freshLeftMs, type NextReconcile } from '../decide/schedule.ts';
import { scopeFields } from '../logging.ts';
import { attempt } from './attempt.ts';
import { gather, type Gathered, type ReconcileContext } from './gather.ts';
import { carryOut, recordStatuses } from './record.ts';

const backoffJitter = 0.2;
const endingRetryMs = 5000;

/**
 * Never rejects. Resolves with the delay until the next reconcile in milliseconds; undefined when only an event
 * requeues the scope.
 */
export async function reconcile(context: ReconcileContext): Promise<number | undefined> {
  const { clock, observer } = context.deps;
  const startMs = clock.monotonic();
  const { result, next } = await gatherAndConclude(context);
  observer.reconcileEnded(result, clock.monotonic() - startMs);
  return delayOf(context, next);
}

async function gatherAndConclude(context: ReconcileContext): Promise<Conclusion> {
  const { deps, runtime, ref } = context;
  let gathered: Gathered | undefined;
  try {
    gathered = gather(deps, runtime, ref);
    const conclusion = concludeNow(context, gathered, await attempt(context, gathered));
    carryOut(context, gathered, conclusion);
    await recordStatuses(context, gathered, conclusion);
    return gathered.deletion === 'Namespace' ? soonAgain(conclusion) : conclusion;
  } catch (error) {
    return breakOff(context, gathered, error);
  }
}

/** The deletion of a namespace does not wait long for the activations of its connections. A pause that the service asked for holds. */
function soonAgain(conclusion: Conclusion): Conclusion {
  const { next } = conclusion;
  if (next.at !== 'Delay') return conclusion;
  return { ...conclusion, next: { ...next, delayMs: Math.min(next.delayMs, endingRetryMs) } };
}

/** A bug may also prevent the status write; then only the log has it. */
async function breakOff(
  context: ReconcileContext,
  gathered: Gathered | undefined,
  error: unknown,
): Promise<Conclusion> {
  const { deps, ref } = context;
  const known = gathered ?? {
    ref,
    connection: undefined,
    policies: [],
    deletion: 'None' as const,
    ledger: [],
    gatheredMs: deps.clock.now(),
    intervalMs: deps.defaultIntervalMs,
  };
  const conclusion = concludeNow(context, known, { kind: 'Broken', error });
  carryOut(context, known, conclusion);
  await recordStatuses(context, known, conclusion).catch((error: unknown) => {
    deps.log.warn({ ...scopeFields(ref), ...errorFields(error) }, 'status not written');
  });
  return conclusion;
}

function concludeNow(context: ReconcileContext, gathered: Gathered, outcome: Outcome): Conclusion {
  const { deps, runtime, ref, signal } = context;
  return conclude({
    outcome,
    state: runtime.state(ref.scope),
    policies: gathered.policies,
    isEnding: gathered.deletion !== 'None',
    intervalMs: gathered.intervalMs,
    gatheredMs: gathered.gatheredMs,
    isPaused: runtime.isPaused,
    isRefusedHereOnly: isRefusedHereOnly(context, gathered, outcome),
    connectionStreak: runtime.streak,
    isStopping: signal.aborted,
    monotonicMs: deps.clock.monotonic(),
  });
}

/** An attempt with an outdated spec says nothing about the scopes. */
function isRefusedHereOnly({ runtime, ref }: ReconcileContext, { connection }: Gathered, outcome: Outcome): boolean {
  if (outcome.kind !== 'Failed' && outcome.kind !== 'Planned') return false;
  if (!outcome.error || !connection || !runtime.isLatestSpec(connection)) return false;
  return runtime.isRefusedHereOnly(ref.scope, endKindOf(failureOf(outcome.error)));
}

function delayOf(context: ReconcileContext, next: NextReconcile): number | undefined {
  const { deps } = context;
  switch (next.at) {
    case 'Event':
      return undefined;
    case 'Delay': {
      const delayMs = next.isJittered ? jitter(deps.random, next.delayMs, backoffJitter) : next.delayMs;
      return Math.min(delayMs, msUntil(context, next.changeMs));
    }
    case 'PauseEnd':
      waitForPause(context, next);
      return undefined;
  }
}

type PauseEnd = Extract<NextReconcile, { at: 'PauseEnd' }>;

/** `timeMs`: milliseconds since 1970; undefined for never. */
function msUntil({ deps }: ReconcileContext, timeMs = Infinity): number {
  return Math.max(timeMs - deps.clock.now(), 0);
}

/**
 * Requeues the scope for the end of the pause: edits first, then by waiting time. A scope that got the 429 itself goes
 * last, because it has just had its turn. A scope that becomes stale during the pause, or whose suspension ends, is
 * reconciled then to record it; the rate limiter sends nothing.
 */
function waitForPause(context: ReconcileContext, { intervalMs, changeMs }: PauseEnd): void {
  const { deps, runtime, ref, urgency } = context;
  const { workQueue } = runtime;
  const monotonicMs = deps.clock.monotonic();
  const pauseMs = runtime.pauseLeftMs(ref.scope);
  const freshMs = freshLeftMs(runtime.state(ref.scope), { intervalMs, monotonicMs });
  const staleMs = freshMs < 0 ? pauseMs : Math.min(pauseMs, freshMs + 1);
  const delayMs = Math.min(staleMs, msUntil(context, changeMs));
  const nextUrgency = runtime.isThrottled(ref.scope) ? 'resync' : urgency;
  workQueue.add(ref.scope, nextUrgency, delayMs, workQueue.keys.sinceOf(ref.scope));
}
