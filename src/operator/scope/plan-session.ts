// Plans the actions of one reconcile from its lists and from the objects gathered before them, and plans each action again in the
// tick of its send: between plan and send an action waits for the rate limiter, a permit, a token or the API server. What the current
// caches, state and clock no longer plan is not sent.
import { canonicalName, sameName } from '../../alerts/resource-id.ts';
import { sleptMs } from '../../lib/clock.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { outdated } from '../controller-error.ts';
import type { ListedPlan } from '../decide/conclude.ts';
import type { Action, PlanInput, PolicyInput } from '../decide/decisions.ts';
import { plan, planActions } from '../decide/plan.ts';
import { verifyWrites, type Correction } from '../decide/writes.ts';
import { longestEntryMs, type SentDeactivation } from '../dismissals/deactivations.ts';
import {
  type Connected,
  gather,
  type Gathered,
  isAsGathered,
  isSameAction,
  type Known,
  type ReconcileContext,
  remembered,
  type TimedList,
} from './gather.ts';

/**
 * The longest time from a list to a deactivation planned from it. It counts from the beginning of a list whose pages may
 * have waited for the rate limiter, and from the end of a list made for the send, which waits only for the service.
 */
export const freshMs = 5000;

/** A deactivation that the ledger has and that is not sent yet. */
export interface RecordedDismissal {
  /** When it was recorded; monotonic milliseconds. */
  readonly atMs: number;
  /** Restores the previous entry. For a deactivation that certainly had no effect. */
  readonly cancel: () => void;
  /** Counts it for damping and for the hour. */
  readonly sent: SentDeactivation;
}

export class PlanSession {
  readonly #context: ReconcileContext;
  readonly #gathered: Known;
  #listed: TimedList;
  #freshUntilMs: number;
  #latest: ListedPlan | undefined;
  /** What the lists have verified so far. */
  #corrections: readonly Correction[] = [];

  /** `list`: the first complete one. */
  constructor({ context, gathered }: Pick<Connected, 'context' | 'gathered'>, list: TimedList) {
    this.#context = context;
    this.#gathered = gathered;
    this.#listed = list;
    this.#freshUntilMs = list.begunMs + freshMs;
  }

  /** Undefined before the first plan. */
  get latest(): ListedPlan | undefined {
    return this.#latest;
  }

  get pages(): number {
    return this.#listed.list.pages;
  }

  get isFresh(): boolean {
    const { clock } = this.#context.deps;
    return clock.monotonic() + sleptMs(clock, this.#listed.offsetMs) <= this.#freshUntilMs;
  }

  /**
   * Plans from `list`, which has just ended and counts as fresh from `freshFromMs` on; without one, from the previous list and what was
   * sent since. What the list verifies goes into the state of the scope and is counted; the plan is recorded.
   */
  plan(list?: TimedList, freshFromMs = list?.begunMs ?? 0): ListedPlan {
    if (list) {
      this.#listed = list;
      this.#freshUntilMs = freshFromMs + freshMs;
    }
    const { deps, ref } = this.#context;
    this.#verify();
    const input = this.#planInput(this.#gathered.policies);
    const planned = plan(input);
    deps.recorder?.record({ ...ref, input, plan: planned });
    this.#latest = { plan: planned, corrections: this.#corrections };
    return this.#latest;
  }

  #verify(): void {
    const { deps, runtime, ref } = this.#context;
    const { intervalMs } = this.#gathered;
    const { alerts, pages } = this.#listed.list;
    const nowMs = deps.clock.now();
    const writes = verifyWrites(runtime.state(ref.scope).sent, alerts, intervalMs, nowMs);
    const monotonicMs = deps.clock.monotonic();
    runtime.step(ref.scope, { kind: 'Listed', pages, writes, intervalMs, nowMs, monotonicMs });
    this.#corrections = [...this.#corrections, ...writes.corrections];
    for (const { cause } of writes.corrections) deps.observer.correctionSeen(ref.connection, cause);
  }

  /** Throws `plan-outdated` unless this action would be planned now. */
  check(action: Action): void {
    const { deps, runtime, ref } = this.#context;
    this.#checkPlanned(action, gather(deps, runtime, ref));
  }

  /**
   * Like `check`, for a deactivation in the tick of its send: its list and its entry in the ledger must be recent. From then on it counts for
   * damping and for the hour.
   */
  checkRecorded(action: Action, recorded: RecordedDismissal): void {
    const { deps, runtime, ref } = this.#context;
    if (!this.isFresh) throw outdated('the list is too old');
    if (deps.clock.monotonic() - recorded.atMs > longestEntryMs) throw outdated('the entry is too old');
    const now = gather(deps, runtime, ref);
    if (!now.ledger.some(({ alert }) => sameName(alert, action.alert))) throw outdated('the ledger has no entry');
    this.#checkPlanned(action, now, recorded.sent);
    recorded.sent.sentMs = deps.clock.monotonic();
  }

  /** Alerts are decided independently, so it plans this one only. */
  #checkPlanned(action: Action, now: Gathered, sent?: SentDeactivation): void {
    if (!isAsGathered(now.connection, this.#gathered.connection)) throw outdated('the connection has changed');
    if (!action.isActive && !isAsGathered(policyOf(now, action), policyOf(this.#gathered, action)))
      throw outdated('the policy has changed');
    const alerts = this.#listed.list.alerts.filter(({ name }) => sameName(name, action.alert));
    const actions = planActions({ ...this.#planInput(now.policies, sent), alerts });
    if (!actions.some((other) => isSameAction(other, action))) throw outdated('nothing declares it any more');
  }

  /** `except`: the deactivation that is about to be sent, which counts already. */
  #planInput(policies: readonly PolicyInput[], except?: SentDeactivation): PlanInput {
    const { deps, runtime, ref } = this.#context;
    const { sent, activationBackoffs } = runtime.state(ref.scope);
    return {
      nowMs: deps.clock.now(),
      isReadOnly: deps.isReadOnly,
      intervalMs: this.#gathered.intervalMs,
      policies,
      alerts: this.#listed.list.alerts,
      ...remembered(runtime.statusWriter, ref.scope, this.#listed.begunMs, except),
      deactivated: new Set(
        this.#corrections.filter(({ isActive }) => !isActive).map(({ alert }) => canonicalName(alert)),
      ),
      sent,
      activationBackoffs,
    };
  }
}

function policyOf({ policies }: Gathered, { policyKey }: Action): RoleAlertPolicy | undefined {
  return policies.find(({ key }) => key === policyKey)?.policy;
}
