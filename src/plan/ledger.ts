// The rule that nothing stays silenced without a current declaration: what this operator deactivated and nobody declares any
// more is activated again, also while the policy is suspended or only observes. Only `--read-only` stops it.
import { canonicalName } from '../alerts/resource-id.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import { dismissalsOf, ownerOf } from './claims.ts';
import type { Action, KeptEntry, Plan, PlanInput, AlertRow } from './types.ts';
import { isHearing, isOwnerLate } from './waits.ts';
import { verifyWindowMs, writeState } from './writes.ts';

interface LedgerPlan extends Pick<Plan, 'actions' | 'resolvedDismissals' | 'kept' | 'missing'> {
  /** When a list can prove what this one cannot yet; milliseconds since 1970. */
  readonly provableAtMs: readonly number[];
}

/** `declared` are the actions already planned for owners; an alert never gets two. */
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
      // Otherwise the owner is about to activate it.
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

/** Not while a policy of this connection is about to deactivate the alert again. A second more, because `since` has no fractions. */
function provable({ unproven, nowMs }: PlanInput, { since }: DismissalRecord, row: AlertRow): number[] {
  if (row.owner?.want.state === 'Inactive' && row.owner.input.isOwn) return [];
  const sinceMs = unproven.has(row.key) ? nowMs : Date.parse(since);
  return [sinceMs + verifyWindowMs + 1000];
}

/**
 * The alert is active, in a list that was begun after the last possible effect of our last PATCH. An answer is no such proof: a refusal
 * speaks of its own try only, and an earlier one may still be applied. A policy that wants the alert inactive keeps no entry: its
 * deactivation is entered anew, in the ledger of its own connection. Until then what others do to the alert is not ours.
 */
function isSettled(input: PlanInput, entry: DismissalRecord, row: AlertRow): boolean {
  // Far ahead: a clock that was wrong wrote it, and waiting for that moment would be as wrong.
  const isOld = Math.abs(input.nowMs - Date.parse(entry.since)) > verifyWindowMs;
  if (!isOld || input.unproven.has(row.key)) return false;
  const write = input.sent.get(row.key);
  return write === undefined || write.isActive || write.failure !== undefined;
}

/** The policy to name for an entry whose alert a dismissal keeps inactive. */
function declaringPolicy(input: PlanInput, entry: DismissalRecord, row: AlertRow): string | undefined {
  // The owner's connection had its turn to activate it.
  if (row.winner?.want.state === 'Active' && isOwnerLate(input.waits, row.key, input.nowMs)) return undefined;
  const claims = dismissalsOf(row.claims, false);
  if (claims.some((claim) => claim.input.key === entry.policy)) return entry.policy;
  if (claims.length > 0) return (ownerOf(claims) ?? claims[0])?.input.key;
  return isHearing(input.waits, input.nowMs) && dismissalsOf(row.claims, true).length > 0 ? entry.policy : undefined;
}

function mayActivate(input: PlanInput, row: AlertRow, key: string): boolean {
  // An owner that wants it active sends its own PATCH, under its own rules.
  if (input.isReadOnly || (row.owner?.want.state === 'Active' && row.owner.input.isOwn)) return false;
  const write = input.sent.get(key);
  return !write?.isActive || writeState(write, input.intervalMs, input.nowMs) === 'MayRepeat';
}
