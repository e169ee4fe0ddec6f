// The ledger rule: no alert that the operator deactivated stays inactive without a current dismissal. The operator
// activates it once no policy declares its dismissal, even while the policy is suspended or in Observe mode. Only
// `--read-only` disables the rule.
import { canonicalName } from '../alerts/resource-id.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import { dismissalsOf, ownerOf } from './claims.ts';
import type { Action, KeptEntry, Plan } from './decisions.ts';
import type { PlanInput, AlertRow } from './plan-input.ts';
import { isHearing, isOwnerLate } from './waits.ts';
import { verifyWindowMs, writeState } from './writes.ts';

interface LedgerPlan extends Pick<Plan, 'actions' | 'resolvedDismissals' | 'kept' | 'missing'> {
  /** When a later list can resolve entries that this one cannot; milliseconds since 1970. */
  readonly provableAtMs: readonly number[];
}

/** `declared`: the actions planned for owners. An alert never gets a second action. */
export function planLedger(input: PlanInput, rows: readonly AlertRow[], declared: readonly Action[]): LedgerPlan {
  const rowsByKey = new Map(rows.map((row) => [row.key, row]));
  const taken = new Set(declared.map((action) => canonicalName(action.alert)));
  const actions: Action[] = [];
  const resolvedDismissals: DismissalRecord[] = [];
  const kept: KeptEntry[] = [];
  const missing: DismissalRecord[] = [];
  const provableAtMs: number[] = [];
  for (const entry of input.ledger) {
    const key = canonicalName(entry.alert);
    const row = rowsByKey.get(key);
    if (!row?.alert) {
      missing.push(entry);
      continue;
    }
    if (row.alert.isActive) {
      if (!taken.has(key) && isSettled(input, entry, row)) resolvedDismissals.push(entry);
      else provableAtMs.push(...provable(input, entry, row));
      continue;
    }
    const policyKey = declaringPolicy(input, entry, row);
    if (policyKey !== undefined) {
      // An owner that wants the alert active activates it itself.
      if (row.owner?.want.state !== 'Active') kept.push({ entry, policyKey });
    } else if (!taken.has(key) && mayActivate(input, row, key)) {
      taken.add(key);
      actions.push(activation(row.alert.name));
    }
  }
  return { actions, resolvedDismissals, kept, missing, provableAtMs };
}

function activation(alert: string): Action {
  return { alert, isActive: true, cause: 'DeclarationGone', policyKey: undefined, actor: 'Self' };
}

/**
 * None while a policy of this connection is about to deactivate the alert again. Adds a second, because `since` has
 * whole seconds.
 */
function provable({ unproven, nowMs }: PlanInput, { since }: DismissalRecord, row: AlertRow): number[] {
  if (row.owner?.want.state === 'Inactive' && row.owner.input.isOwn) return [];
  const sinceMs = unproven.has(row.key) ? nowMs : Date.parse(since);
  return [sinceMs + verifyWindowMs + 1000];
}

/**
 * True when the list began after the last possible effect of the operator's last PATCH, so that it proves the alert
 * active. A response is no proof: a refusal concerns only its own try, and an earlier one may still take effect. A
 * policy that wants the alert inactive does not keep the entry: its next deactivation adds a new entry to the ledger of
 * its own connection.
 */
function isSettled(input: PlanInput, entry: DismissalRecord, row: AlertRow): boolean {
  // A `since` far in the future comes from a wrong clock and must not delay the proof.
  const isOld = Math.abs(input.nowMs - Date.parse(entry.since)) > verifyWindowMs;
  if (!isOld || input.unproven.has(row.key)) return false;
  const write = input.sent.get(row.key);
  return write === undefined || write.isActive || write.failure !== undefined;
}

/** The policy that declares a dismissal of the entry's alert, or undefined when none does. */
function declaringPolicy(input: PlanInput, entry: DismissalRecord, row: AlertRow): string | undefined {
  // The owner's connection did not activate the alert in time.
  if (row.winner?.want.state === 'Active' && isOwnerLate(input.waits, row.key, input.nowMs)) return undefined;
  const claims = dismissalsOf(row.claims, false);
  if (claims.some((claim) => claim.input.key === entry.policy)) return entry.policy;
  if (claims.length > 0) return (ownerOf(claims) ?? claims[0])?.input.key;
  return isHearing(input.waits, input.nowMs) && dismissalsOf(row.claims, true).length > 0 ? entry.policy : undefined;
}

function mayActivate(input: PlanInput, row: AlertRow, key: string): boolean {
  // An owner that wants the alert active sends its own PATCH, under its own rules.
  if (input.isReadOnly || (row.owner?.want.state === 'Active' && row.owner.input.isOwn)) return false;
  const write = input.sent.get(key);
  return !write?.isActive || writeState(write, input.intervalMs, input.nowMs) === 'MayRepeat';
}
