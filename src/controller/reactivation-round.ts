// One round of releasing the dismissals of a deleted connection at one scope: a complete list, what it verifies, and the
// PATCHes that are due. It uses the plan of a reconcile without policies, which activates every alert in the ledger.
import type { AlertClient, CallOptions } from '../alert-client/alert-client.ts';
import { canonicalName } from '../alerts/resource-id.ts';
import type { Alert } from '../alerts/types.ts';
import type { Clock } from '../lib/clock.ts';
import { StoppedError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { confirmWrites } from '../plan/corrections.ts';
import type { Action, Plan } from '../plan/decisions.ts';
import type { SentWrite } from '../plan/memory.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import { plan } from '../plan/plan.ts';
import type { Ledger } from './ledger.ts';
import { scopeFields } from './log-fields.ts';
import type { Observer } from './ports.ts';
import { writeFailureOf } from './write-failure.ts';

export interface ReactivationDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: Observer;
  /** Throws unless this process may write now. */
  readonly checkMayWrite: () => void;
  /** Records that the entries of these alerts ended. Never rejects. */
  readonly ended: (scope: string, alerts: readonly string[]) => Promise<void>;
}

export interface ReactivationTarget {
  /** `namespace/name` of the deleted connection. */
  readonly connection: string;
  readonly client: AlertClient;
  readonly ledger: Ledger;
}

/** The state of one scope between rounds. */
export interface ScopeReactivation {
  readonly scope: string;
  /** By canonical alert name. */
  sent: ReadonlyMap<string, SentWrite>;
  /** Names of the alerts that the last list showed inactive; before the first list, all of them. */
  left: readonly string[];
}

/** The interval between rounds when nothing is due and nothing fails. */
export const reactivationIntervalMs = 300_000;
const missingIntervalMs = 3_600_000;
/** PATCHes per round, few enough that the list is recent for each. */
const batchSize = 8;

/** Resolves with the delay until the next round in milliseconds, or undefined when the scope is finished. */
export async function reactivateRound(
  deps: ReactivationDeps,
  target: ReactivationTarget,
  memory: ScopeReactivation,
  call: CallOptions,
): Promise<number | undefined> {
  const planned = await listAndPlan(deps, target, memory, call);
  await noteEntries(deps, target, memory.scope, planned);
  const count = await send(deps, target, memory, planned.actions.slice(0, batchSize), call);
  if (target.ledger.recordsOf(memory.scope).length === 0) return undefined;
  return count > 0 ? 0 : waitMs(deps.clock.now(), planned);
}

/** Lists the scope and plans from the complete list. */
async function listAndPlan(
  deps: ReactivationDeps,
  target: ReactivationTarget,
  memory: ScopeReactivation,
  call: CallOptions,
): Promise<Plan> {
  const { clock, log } = deps;
  const { scope } = memory;
  const begunMs = clock.monotonic();
  const { alerts } = await target.client.listAlerts(scope, call);
  const nowMs = clock.now();
  const { corrections, open } = confirmWrites(memory.sent, alerts, reactivationIntervalMs, nowMs);
  memory.sent = open;
  for (const { alert } of corrections) {
    log.info(
      { ...scopeFields({ connection: target.connection, scope }), alert },
      'alert re-activated, its connection was deleted',
    );
  }
  const ledger = target.ledger.recordsOf(scope);
  const inactive = new Set(alerts.filter(({ isActive }) => !isActive).map(({ name }) => canonicalName(name)));
  memory.left = ledger.map(({ alert }) => alert).filter((alert) => inactive.has(canonicalName(alert)));
  return plan(planInput(deps, target, memory, { alerts, begunMs }));
}

/** A complete list, and when it began; monotonic milliseconds. */
interface Seen {
  readonly alerts: readonly Alert[];
  readonly begunMs: number;
}

function planInput(
  { clock }: ReactivationDeps,
  { ledger }: ReactivationTarget,
  { scope, sent }: ScopeReactivation,
  { alerts, begunMs }: Seen,
): PlanInput {
  return {
    nowMs: clock.now(),
    isReadOnly: false,
    intervalMs: reactivationIntervalMs,
    policies: [],
    alerts,
    ledger: ledger.recordsOf(scope),
    unproven: ledger.unprovenBy(scope, begunMs),
    deactivated: new Set(),
    ledgerRoom: 0,
    deactivationsLeft: 0,
    nextDeactivationMs: undefined,
    sent,
    activationBackoffs: new Map(),
    damping: new Map(),
  };
}

/**
 * Resolves with the number of PATCHes before one got no response, which ends the round: a list has to show first that
 * the service responds.
 */
async function send(
  deps: ReactivationDeps,
  target: ReactivationTarget,
  memory: ScopeReactivation,
  actions: readonly Action[],
  call: CallOptions,
): Promise<number> {
  let count = 0;
  for (const action of actions) {
    const write = await activate(deps, target, memory, action, call);
    memory.sent = new Map([...memory.sent, [canonicalName(action.alert), write]]);
    if (write.failure?.kind === 'Unreachable' || call.signal.aborted) break;
    count++;
  }
  return count;
}

async function activate(
  { clock, observer, checkMayWrite }: ReactivationDeps,
  { client, connection }: ReactivationTarget,
  { sent, scope }: ScopeReactivation,
  action: Action,
  call: CallOptions,
): Promise<SentWrite> {
  const { alert, cause, policyKey, actor } = action;
  const tries = (sent.get(canonicalName(alert))?.tries ?? 0) + 1;
  const write = { isActive: true, cause, policyKey, actor, tries, sentAtMs: clock.now() };
  try {
    await client.patchAlert(scope, alert, true, { ...call, beforeSend: checkMayWrite });
    observer.actionEnded(connection, 'activate', 'sent');
    return write;
  } catch (error) {
    if (!(error instanceof StoppedError)) observer.actionEnded(connection, 'activate', 'failed');
    const failure = writeFailureOf(error, reactivationIntervalMs, tries, clock.now());
    if (!failure) throw error;
    return { ...write, failure };
  }
}

function waitMs(nowMs: number, { nextChangeMs, missing, actions }: Plan): number {
  const isOnlyMissing = missing.length > 0 && actions.length === 0;
  const intervalMs = isOnlyMissing ? missingIntervalMs : reactivationIntervalMs;
  return nextChangeMs === undefined ? intervalMs : Math.min(intervalMs, Math.max(nextChangeMs - nowMs, 0));
}

async function noteEntries(
  { log, ended }: ReactivationDeps,
  { connection, ledger }: ReactivationTarget,
  scope: string,
  { resolvedDismissals, missing }: Pick<Plan, 'resolvedDismissals' | 'missing'>,
): Promise<void> {
  const { dropped } = ledger.note(scope, { resolvedDismissals, missing, declared: new Map() });
  const facts = scopeFields({ connection, scope });
  for (const { alert } of dropped) log.warn({ ...facts, alert }, 'dismissal dropped, its alert is gone');
  const over = [...resolvedDismissals, ...dropped].map(({ alert }) => alert);
  if (over.length > 0) await ended(scope, over);
}

/** Notes every entry as missing, because the service does not know the scope. True when that ended the last entry. */
export async function noteScopeMissing(
  deps: ReactivationDeps,
  target: ReactivationTarget,
  scope: string,
): Promise<boolean> {
  await noteEntries(deps, target, scope, { resolvedDismissals: [], missing: target.ledger.recordsOf(scope) });
  return target.ledger.recordsOf(scope).length === 0;
}
