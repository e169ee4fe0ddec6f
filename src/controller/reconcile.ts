// The handling of one work item, straight from left to right: gather what the caches hold, attempt to list and correct, conclude what
// follows (plan/conclude.ts), record it. A reconcile that fails says so in every status it is responsible for, and never ends another one.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { jitter, type Random } from '../lib/random.ts';
import { conclude, type Conclusion, type Outcome } from '../plan/conclude.ts';
import { endingOf, failureOf } from '../plan/failures.ts';
import { freshLeftMs, type NextReconcile } from '../plan/schedule.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { attempt } from './attempt.ts';
import { carryOut } from './carry-out.ts';
import type { Catalog, ScopeRef } from './catalog.ts';
import type { AttemptEnd } from './connection-health.ts';
import { type Gathered, gather } from './gather.ts';
import type { Shift } from './lane.ts';
import type { Neighbours } from './neighbours.ts';
import type { ClusterPort, EventPort, Observer } from './ports.ts';
import { recordStatuses } from './record-statuses.ts';
import type { Session } from './session.ts';
import type { Strangers } from './strangers.ts';

export interface ReconcileDeps {
  readonly catalog: Catalog;
  readonly cluster: ClusterPort;
  readonly strangers: Strangers;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly isReadOnly: boolean;
  readonly defaultIntervalMs: number;
  readonly neighbours: Neighbours;
  /** What `record.ts` is writing just now. */
  readonly writing: Map<string, RoleAlertPolicyStatus>;
  /** Throws unless this process may write to the service now. */
  readonly checkMayWrite: () => void;
  /** Takes in how an attempt ended. */
  readonly noteHealth: (session: Session, scope: string, end: AttemptEnd) => void;
}

/** One reconcile while it runs. */
export interface ReconcileContext extends Shift {
  readonly tools: ReconcileDeps;
  readonly session: Session;
  readonly ref: ScopeRef;
}

const backoffJitter = 0.2;

/** Never rejects. Resolves with the delay until the next reconcile, in milliseconds; undefined when only an event brings the scope back. */
export async function reconcile(context: ReconcileContext): Promise<number | undefined> {
  const { clock, observer } = context.tools;
  const startMs = clock.monotonic();
  const { result, next } = await gatherAndConclude(context);
  observer.passEnded(context.ref.connection, result, clock.monotonic() - startMs);
  return delayOf(context, next);
}

async function gatherAndConclude(context: ReconcileContext): Promise<Conclusion> {
  const { tools, session, ref } = context;
  let gathered: Gathered | undefined;
  try {
    gathered = gather(tools, session, ref);
    const conclusion = concludeNow(context, gathered, await attempt(context, gathered));
    carryOut(context, gathered, conclusion);
    await recordStatuses(context, gathered, conclusion);
    return conclusion;
  } catch (error) {
    return breakOff(context, gathered, error);
  }
}

/** A defect may keep its own status from being written, too; then the log has to do. */
async function breakOff(
  context: ReconcileContext,
  gathered: Gathered | undefined,
  error: unknown,
): Promise<Conclusion> {
  const { tools, ref } = context;
  const known = gathered ?? {
    ref,
    connection: undefined,
    policies: [],
    ledger: [],
    intervalMs: tools.defaultIntervalMs,
  };
  const conclusion = concludeNow(context, known, { kind: 'Broken', error });
  carryOut(context, known, conclusion);
  await recordStatuses(context, known, conclusion).catch((err: unknown) => {
    tools.log.warn({ ...ref, err }, 'status not written');
  });
  return conclusion;
}

function concludeNow(context: ReconcileContext, gathered: Gathered, outcome: Outcome): Conclusion {
  const { tools, session, ref, urgency, signal } = context;
  return conclude({
    outcome,
    state: session.state(ref.scope),
    policies: gathered.policies.filter(({ isOwn }) => isOwn),
    intervalMs: gathered.intervalMs,
    isEdit: urgency === 'edit',
    isPaused: session.isPaused,
    isAlone: isAlone(context, gathered, outcome),
    isStopping: signal.aborted,
    monotonicMs: tools.clock.monotonic(),
  });
}

/** An attempt with an older spec than the one that was tried last says nothing about the scopes. */
function isAlone({ session, ref }: ReconcileContext, { connection }: Gathered, outcome: Outcome): boolean {
  if (outcome.kind !== 'Failed' && outcome.kind !== 'Planned') return false;
  if (!outcome.error || !connection || !session.isLatestSpec(connection)) return false;
  return session.roster.isAlone(ref.scope, endingOf(failureOf(outcome.error)));
}

function delayOf(context: ReconcileContext, next: NextReconcile): number | undefined {
  const { tools } = context;
  switch (next.at) {
    case 'Event':
      return undefined;
    case 'Delay':
      return next.isJittered ? jitter(tools.random, next.delayMs, backoffJitter) : next.delayMs;
    case 'Change':
      return Math.min(next.intervalMs, Math.max(next.changeMs - tools.clock.now(), 0));
    case 'PauseEnd':
      waitForPause(context, next.intervalMs);
      return undefined;
  }
}

/**
 * After the pause those that waited longest go first, an edit before them. The scope that was answered 429 itself has just had its
 * turn, and goes last. A scope that becomes stale within the pause is recorded then; the budget lets nothing of it out.
 */
function waitForPause({ tools, session, ref, urgency }: ReconcileContext, intervalMs: number): void {
  const { roster, lane } = session;
  const monotonicMs = tools.clock.monotonic();
  const pauseMs = session.pauseLeftMs(ref.scope);
  const hasHadItsTurn = roster.isBusy(ref.scope);
  roster.wait(ref.scope, monotonicMs + (hasHadItsTurn ? pauseMs : 0));
  const freshMs = freshLeftMs(session.state(ref.scope), { intervalMs, monotonicMs });
  const delayMs = freshMs < 0 ? pauseMs : Math.min(pauseMs, freshMs + 1);
  lane.add(ref.scope, hasHadItsTurn ? 'resync' : urgency, delayMs, roster.waitingSinceMs(ref.scope));
}
