// What the actions of one reconcile rest on: the last whole list, and the objects as they were gathered before it. Between the plan
// and the send an action waits for the rate limiter, a permit, a token or the API server. So the same plan is made again in the tick
// of the send, from the caches, the memory and the clock as they are then, and what is no longer in it is not sent.
import { sameName } from '../alerts/resource-id.ts';
import type { AlertList } from '../alerts/types.ts';
import { aheadMs } from '../lib/clock.ts';
import { CodedError } from '../lib/errors.ts';
import { confirmWrites } from '../plan/corrections.ts';
import type { Correction, SentWrite } from '../plan/memory.ts';
import { plan } from '../plan/plan.ts';
import type { Action, Plan, PlanInput, PolicyInput } from '../plan/types.ts';
import { shiftWaits } from '../plan/waits.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../policy/resources.ts';
import type { RecordedDismissal } from './apply.ts';
import type { ReconcileContext } from './context.ts';
import { type Gathered, gather, withCurrentStandings } from './gather.ts';

/** What there is to plan from, once the connection is there. */
export type Known = Gathered & { readonly connection: RoleAlertConnection };

/**
 * The longest time from a list to the send of a deactivation that was planned from it. The first list counts from its beginning, because
 * its pages may have waited for the rate limiter; one that was made for the send waits for nothing but the service, and counts from its
 * end.
 */
const freshMs = 5000;
/** The longest time from an entry of the ledger to the send: a list proves nothing about it for two minutes, the PATCH included. */
const longestEntryMs = 90_000;

/** A whole list, and when it was begun; monotonic milliseconds. */
export interface SeenList {
  readonly list: AlertList;
  readonly begunMs: number;
}

export class Basis {
  readonly #context: ReconcileContext;
  readonly #gathered: Known;
  readonly #corrections: Correction[] = [];
  #seen: SeenList;
  #freshUntilMs: number;
  #plan: Plan;

  /** The list has just ended. */
  constructor(context: ReconcileContext, gathered: Known, seen: SeenList) {
    this.#context = context;
    this.#gathered = gathered;
    this.#seen = seen;
    this.#freshUntilMs = seen.begunMs + freshMs;
    this.#plan = this.#decide();
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** What the lists have proven so far. */
  get corrections(): readonly Correction[] {
    return this.#corrections;
  }

  get pages(): number {
    return this.#seen.list.pages;
  }

  get isFresh(): boolean {
    return this.#context.deps.clock.monotonic() <= this.#freshUntilMs;
  }

  /** Plans again from a list that has just ended; without one from the list that is there, and what was sent since. */
  renew(seen?: SeenList): void {
    if (seen) {
      this.#seen = seen;
      this.#freshUntilMs = this.#context.deps.clock.monotonic() + freshMs;
    }
    this.#plan = this.#decide();
  }

  /** Throws `plan-outdated` unless this action would be planned now. */
  check(action: Action): void {
    const { deps, runtime, ref } = this.#context;
    this.#checkPlanned(action, gather(deps, runtime, ref), runtime.statusWriter.deactivationsLeft);
  }

  /** As `check`, for a deactivation in the tick of its send: the list is fresh, and so is its entry in the ledger. */
  checkEntered(action: Action, recorded: RecordedDismissal): void {
    const { deps, runtime, ref } = this.#context;
    if (!this.isFresh) throw outdated('the list is too old');
    if (deps.clock.monotonic() - recorded.atMs > longestEntryMs) throw outdated('the entry is too old');
    const now = gather(deps, runtime, ref);
    if (!now.ledger.some(({ alert }) => sameName(alert, action.alert))) throw outdated('the ledger has no entry');
    // Its own place in the hour is taken already.
    this.#checkPlanned(action, now, runtime.statusWriter.deactivationsLeft + 1);
  }

  /** Alerts are decided one by one, so this one alone is planned again. */
  #checkPlanned(action: Action, now: Gathered, deactivationsLeft: number): void {
    if (!isAsGathered(now.connection, this.#gathered.connection)) throw outdated('the connection has changed');
    if (!action.isActive && !this.#isPolicyAsGathered(action, now)) throw outdated('the policy has changed');
    const alerts = this.#seen.list.alerts.filter(({ name }) => sameName(name, action.alert));
    const { actions } = plan({ ...this.#planInput(now.policies), alerts, deactivationsLeft });
    if (!actions.some((other) => isSameAction(other, action))) throw outdated('nothing declares it any more');
  }

  #isPolicyAsGathered({ policyKey }: Action, now: Gathered): boolean {
    const find = ({ policies }: Gathered) => policies.find(({ key }) => key === policyKey)?.policy;
    return isAsGathered(find(now), find(this.#gathered));
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
    const planned = plan(this.#planInput(withCurrentStandings(deps, this.#gathered)));
    this.#noteWaits(planned);
    return planned;
  }

  /** The owner's connection may not know yet of a drift that is left to it. */
  #noteWaits({ waits }: Plan): void {
    const { deps, runtime, ref } = this.#context;
    const before = runtime.state(ref.scope).waits.ownerSinceMs;
    const isNew = [...waits.ownerSinceMs.keys()].some((alert) => !before.has(alert));
    runtime.step(ref.scope, { kind: 'Planned', waits: shiftWaits(waits, -aheadMs(deps.clock)) });
    if (isNew) deps.neighbours.wakeOthers(ref);
  }

  #planInput(policies: readonly PolicyInput[]): PlanInput {
    const { deps, runtime, ref } = this.#context;
    const { statusWriter } = runtime;
    const { sent, activationBackoffs, damping, waits } = runtime.state(ref.scope);
    return {
      nowMs: deps.clock.now(),
      isReadOnly: deps.isReadOnly,
      intervalMs: this.#gathered.intervalMs,
      policies,
      alerts: this.#seen.list.alerts,
      ledger: statusWriter.entriesOf(ref.scope),
      ledgerRoom: statusWriter.room,
      deactivationsLeft: statusWriter.deactivationsLeft,
      nextDeactivationMs: statusWriter.nextDeactivationMs,
      unproven: statusWriter.unprovenBy(ref.scope, this.#seen.begunMs),
      sent,
      activationBackoffs,
      damping,
      waits: shiftWaits(waits, aheadMs(deps.clock)),
    };
  }
}

/** A PATCH that went out, or was tried, as the next plan has to see it. */
export function rememberSent(
  { runtime, ref, deps }: ReconcileContext,
  gathered: Gathered,
  alert: string,
  write: SentWrite,
): void {
  const uid = gathered.policies.find(({ key }) => key === write.policyKey)?.policy.metadata.uid;
  const isThere = deps.cluster.policies.get(write.policyKey ?? '')?.metadata.uid === uid;
  runtime.step(ref.scope, { kind: 'Sent', alert, write: isThere ? write : { ...write, policyKey: undefined } });
}

/** Damping counts what is sent. */
export function rememberDeactivation(
  context: ReconcileContext,
  { policies }: Gathered,
  { alert, policyKey }: Action,
): void {
  const policy = policies.find(({ key }) => key === policyKey)?.policy;
  const nowMs = context.deps.clock.now();
  if (policy) context.runtime.step(context.ref.scope, { kind: 'Deactivating', policy, alert, nowMs });
}

/** Of the same alert. A deactivation is entered under its policy, so that another policy which wants the same is another action. */
function isSameAction(now: Action, planned: Action): boolean {
  return now.isActive === planned.isActive && (now.isActive || now.policyKey === planned.policyKey);
}

/** The same object with the same spec, and not being deleted since. */
function isAsGathered(
  now: RoleAlertPolicy | RoleAlertConnection | undefined,
  planned: RoleAlertPolicy | RoleAlertConnection | undefined,
): boolean {
  if (!now || !planned) return false;
  const { uid, generation, deletionTimestamp } = now.metadata;
  if (uid !== planned.metadata.uid || generation !== planned.metadata.generation) return false;
  return deletionTimestamp === planned.metadata.deletionTimestamp;
}

/** What was planned may no longer be declared. `detail` is for the log. */
export function outdated(detail: string): CodedError {
  return new CodedError('plan-outdated', 'What was planned is no longer sure to be declared.', { detail });
}
