// The ledger rule: no alert that the operator deactivated stays inactive without a current dismissal. The operator
// activates it once no policy declares its dismissal, even while the policy is suspended or in Observe mode. Only
// `--read-only` disables the rule.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import { type Declaration, declarationOf, verifyDeadlineMs } from '../dismissals/register.ts';
import { dismissalsOf, ownerOf } from './claims.ts';
import type { Action, AlertRow, Claim, KeptEntry, PlanInput } from './decisions.ts';
import { writeState } from './writes.ts';

/** The part of a `Plan` that follows from the ledger. */
interface LedgerPlan {
  readonly actions: Action[];
  readonly resolvedDismissals: DismissalRecord[];
  readonly kept: KeptEntry[];
  readonly missing: DismissalRecord[];
  readonly declared: Map<DismissalRecord, Declaration>;
  /** When a later list can resolve entries that this one cannot; milliseconds since 1970. */
  readonly provableAtMs: number[];
}

/** What the entries so far lead to. */
interface Draft extends LedgerPlan {
  /** Canonical names of the alerts that have an action. An alert never gets a second one. */
  readonly taken: Set<string>;
}

/** `ofOwners`: the actions planned for owners. */
export function planLedger(input: PlanInput, rows: readonly AlertRow[], ofOwners: readonly Action[]): LedgerPlan {
  // As for most scopes, several times a reconcile.
  if (input.ledger.length === 0) return emptyLedgerPlan();
  const rowsByKey = new Map(rows.map((row) => [row.key, row]));
  const taken = new Set(ofOwners.map((action) => canonicalName(action.alert)));
  const draft: Draft = { ...emptyLedgerPlan(), taken };
  for (const entry of input.ledger) {
    const row = rowsByKey.get(canonicalName(entry.alert));
    if (row?.alert?.isActive) addActive(draft, input, entry, row);
    else addInactive(draft, input, entry, row);
  }
  const { taken: _, ...planned } = draft;
  return planned;
}

function emptyLedgerPlan(): LedgerPlan {
  return { actions: [], resolvedDismissals: [], kept: [], missing: [], declared: new Map(), provableAtMs: [] };
}

function addActive(draft: Draft, input: PlanInput, entry: DismissalRecord, row: AlertRow): void {
  if (!draft.taken.has(row.key) && isSettled(input, row)) draft.resolvedDismissals.push(entry);
  else draft.provableAtMs.push(...provable(input, row));
}

/** The alert is inactive, or the service does not list it. */
function addInactive(draft: Draft, input: PlanInput, entry: DismissalRecord, row: AlertRow | undefined): void {
  const dismissing = row && dismissingClaim(entry, row);
  // An owner that wants the alert active activates it itself.
  const isEnding = row?.owner?.want.state === 'Active';
  draft.declared.set(entry, declaredBy(isEnding ? undefined : dismissing, entry));
  if (!row?.alert) draft.missing.push(entry);
  else if (dismissing) {
    if (!isEnding) draft.kept.push({ entry, policyKey: dismissing.input.key });
  } else if (!draft.taken.has(row.key) && mayActivate(input, row, row.key)) {
    draft.taken.add(row.key);
    const alert = row.alert.name;
    draft.actions.push({ alert, isActive: true, cause: 'DeclarationGone', policyKey: undefined, actor: 'Self' });
  }
}

/** None while a policy is about to deactivate the alert again. */
function provable({ unproven, nowMs }: PlanInput, row: AlertRow): number[] {
  return unproven.has(row.key) && row.owner?.want.state !== 'Inactive' ? [nowMs + verifyDeadlineMs + 1000] : [];
}

/**
 * True when the list began after the last possible effect of the operator's last PATCH, so that it proves the alert
 * active. A response is no proof: a refusal concerns only its own try, and an earlier one may still take effect. A
 * policy that wants the alert inactive does not keep the entry: its next deactivation adds a new entry.
 */
function isSettled(input: PlanInput, row: AlertRow): boolean {
  if (input.unproven.has(row.key)) return false;
  const write = input.sent.get(row.key);
  return write === undefined || write.isActive || write.failure !== undefined;
}

/** The claim that keeps the entry's alert inactive, or undefined when none does. */
function dismissingClaim({ policy }: DismissalRecord, { claims }: AlertRow): Claim | undefined {
  const dismissals = dismissalsOf(claims);
  const named = dismissals.find(({ input }) => input.key === policy);
  return named ?? ownerOf(dismissals) ?? dismissals[0];
}

function declaredBy(claim: Claim | undefined, { alert, policy }: DismissalRecord): Declaration {
  if (!claim) return { policy };
  const { input } = claim;
  return declarationOf(input.policy, input.key, alert);
}

function mayActivate(input: PlanInput, row: AlertRow, key: string): boolean {
  // An owner that wants the alert active sends its own PATCH, under its own rules.
  if (input.isReadOnly || row.owner?.want.state === 'Active') return false;
  const write = input.sent.get(key);
  return !write?.isActive || writeState(write, input.intervalMs, input.nowMs) === 'MayRepeat';
}
