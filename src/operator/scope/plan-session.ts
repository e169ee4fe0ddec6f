// The data that the actions of one reconcile depend on: the last complete list and the objects gathered before it.
// Between plan and send an action waits for the rate limiter, a permit, a token or the API server. In the tick of the
// send the controller therefore plans again from the current caches, state and clock, and does not send an action that
// the new plan lacks.
import { canonicalName, sameName } from '../../alerts/resource-id.ts';
import { sleptMs } from '../../lib/clock.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { outdated } from '../controller-error.ts';
import { confirmWrites } from '../decide/corrections.ts';
import type { Action, Plan } from '../decide/decisions.ts';
import type { Correction } from '../decide/memory.ts';
import type { PlanInput, PolicyInput } from '../decide/plan-input.ts';
import { plan, planActions } from '../decide/plan.ts';
import { longestEntryMs, type SentDeactivation } from '../dismissals/deactivations.ts';
import type { ReconcileContext } from './context.ts';
import { type Gathered, gather, remembered } from './gather.ts';
import type { Connected, Known, SeenList } from './list-scope.ts';
import { isSameAction, isAsGathered } from './outdated.ts';

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

export class Basis {
  readonly #context: ReconcileContext;
  readonly #gathered: Known;
  readonly #corrections: Correction[] = [];
  #seen: SeenList;
  #freshUntilMs: number;
  #plan: Plan;

  /** `seen`: a list that has just ended. */
  constructor({ context, gathered }: Pick<Connected, 'context' | 'gathered'>, seen: SeenList) {
    this.#context = context;
    this.#gathered = gathered;
    this.#seen = seen;
    this.#freshUntilMs = seen.begunMs + freshMs;
    this.#plan = this.#decide();
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** The corrections that the lists have verified so far. */
  get corrections(): readonly Correction[] {
    return this.#corrections;
  }

  get pages(): number {
    return this.#seen.list.pages;
  }

  get isFresh(): boolean {
    const { clock } = this.#context.deps;
    return clock.monotonic() + sleptMs(clock, this.#seen.offsetMs) <= this.#freshUntilMs;
  }

  /**
   * Plans again from a list that has just ended or, without one, from the previous list and what was sent since. It counts
   * as fresh from `freshFromMs` on.
   */
  renew(seen?: SeenList, freshFromMs = seen?.begunMs ?? 0): void {
    if (seen) {
      this.#seen = seen;
      this.#freshUntilMs = freshFromMs + freshMs;
    }
    this.#plan = this.#decide();
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
    const alerts = this.#seen.list.alerts.filter(({ name }) => sameName(name, action.alert));
    const actions = planActions({ ...this.#planInput(now.policies, sent), alerts });
    if (!actions.some((other) => isSameAction(other, action))) throw outdated('nothing declares it any more');
  }

  #decide(): Plan {
    const { deps, runtime, ref } = this.#context;
    const nowMs = deps.clock.now();
    const { intervalMs } = this.#gathered;
    const { alerts, pages } = this.#seen.list;
    const writes = confirmWrites(runtime.state(ref.scope).sent, alerts, intervalMs, nowMs);
    const monotonicMs = deps.clock.monotonic();
    runtime.step(ref.scope, { kind: 'Listed', pages, writes, intervalMs, nowMs, monotonicMs });
    const { corrections } = writes;
    this.#corrections.push(...corrections);
    for (const { cause } of corrections) deps.observer.correctionSeen(ref.connection, cause);
    const input = this.#planInput(this.#gathered.policies);
    const planned = plan(input);
    deps.recorder?.record({ ...ref, input, plan: planned });
    return planned;
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
      alerts: this.#seen.list.alerts,
      ...remembered(runtime.statusWriter, ref.scope, this.#seen.begunMs, except),
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
