// Plans a reconcile: the decision for each alert of each policy, the PATCHes to send, and the dismissals that are
// resolved. Total and pure: the same input gives the same plan, and nothing is thrown. report/policy-status.ts
// turns the decisions into statuses; scope/send.ts sends the actions.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Alert } from '../../alerts/types.ts';
import { byText } from '../../lib/compare-text.ts';
import type { AlertStatus, PolicyAlert } from '../../policy/generated/role-alert-policy.ts';
import { wantOf } from '../../policy/wants.ts';
import { ownerOf } from './claims.ts';
import type {
  Action,
  AlertDecision,
  AlertRow,
  Claim,
  Plan,
  PlanInput,
  PolicyDecision,
  PolicyInput,
  Withheld,
} from './decisions.ts';
import { attributeDrift, isEndOfDismissal, isStillByOperator } from './drift.ts';
import { planLedger } from './ledger-rule.ts';
import { decideAlert, windowHolds } from './rules.ts';
import { earliestAfter, firstEndMs } from './schedule.ts';
import { type ActionCause, nextWriteCheckMs, type PendingWrite } from './writes.ts';

export function plan(input: PlanInput): Plan {
  const rows = planRows(input);
  const decided = decideAll(input, rows);
  const { decisions } = decided;
  const ofOwners = actionsOf(input, rows, decided.ofOwners);
  const ledger = planLedger(input, rows, ofOwners);
  const policies = input.policies.map((policy) => decisionOf(policy, decisions.get(policy) ?? []));
  const { actions, provableAtMs, ...entries } = ledger;
  const planned = { ...entries, actions: [...ofOwners, ...actions], policies };
  return { ...planned, nextChangeMs: nextChange(input, planned, provableAtMs) };
}

/** The next moment after `nowMs` at which time alone changes the plan. Actions that remain after this reconcile are due soon. */
function nextChange(
  { nowMs, intervalMs, policies, sent }: PlanInput,
  planned: Omit<Plan, 'nextChangeMs'>,
  provableAtMs: readonly number[],
): number | undefined {
  return earliestAfter(nowMs, [
    firstEndMs(policies, nowMs),
    ...planned.policies.flatMap(({ alerts }) => alerts.map(({ untilMs }) => untilMs)),
    ...[...sent.values()].map((write) => nextWriteCheckMs(write, intervalMs, nowMs)),
    ...provableAtMs,
    planned.actions.length > 0 ? nowMs + 1000 : undefined,
  ]);
}

/**
 * The actions of `plan(input)` alone. Every send asks for them again, and needs neither the rows of missing alerts,
 * which have no action, nor the next change.
 */
export function planActions(input: PlanInput): readonly Action[] {
  const rows = inTurn(liveRows(input, declaredAlerts(input)), input);
  const declared = actionsOf(input, rows, decideAll(input, rows).ofOwners);
  return [...declared, ...planLedger(input, rows, declared).actions];
}

function planRows(input: PlanInput): AlertRow[] {
  const declared = declaredAlerts(input);
  const live = liveRows(input, declared);
  return inTurn([...live, ...missingRows(input, declared, live)], input);
}

/**
 * The alert whose last deactivation is the longest ago comes first, or one that others activate again and again would take each
 * deactivation that the hour leaves.
 */
function inTurn(rows: readonly AlertRow[], { recentDeactivations }: PlanInput): AlertRow[] {
  const lastOf = ({ key }: AlertRow) => recentDeactivations.get(key)?.at(-1) ?? 0;
  return rows.toSorted((a, b) => lastOf(a) - lastOf(b) || byText(a.key, b.key));
}

/** Each policy with the alerts that it declares, by `canonicalName`. */
type Declared = ReadonlyMap<PolicyInput, ReadonlyMap<string, PolicyAlert>>;

function declaredAlerts({ policies }: PlanInput): Declared {
  return new Map(
    policies.map((input) => [
      input,
      new Map(input.policy.spec.alerts?.map((alert) => [canonicalName(alert.name), alert])),
    ]),
  );
}

/** One row per live alert; each policy has a claim on it. */
function liveRows({ alerts, nowMs }: PlanInput, declared: Declared): AlertRow[] {
  const live = new Map(alerts.map((alert) => [canonicalName(alert.name), alert]));
  return [...live].map(([key, alert]) => {
    const claims = [...declared].map(([input, own]) => claimOf(input, own.get(key), alert, nowMs));
    return { key, alert, claims, owner: ownerOf(claims) };
  });
}

/** One row per missing alert; each policy that declares it has a claim on it. */
function missingRows({ nowMs }: PlanInput, declared: Declared, live: readonly AlertRow[]): AlertRow[] {
  const isLive = new Set(live.map(({ key }) => key));
  const missing = [...declared].flatMap(([input, alerts]) =>
    [...alerts].flatMap(([key, alert]) =>
      isLive.has(key) ? [] : { key, claim: claimOf(input, alert, undefined, nowMs) },
    ),
  );
  return [...Map.groupBy(missing, ({ key }) => key)].map(([key, of]) => {
    const claims = of.map(({ claim }) => claim);
    return { key, alert: undefined, claims, owner: ownerOf(claims) };
  });
}

function claimOf(
  input: PolicyInput,
  declared: PolicyAlert | undefined,
  alert: Alert | undefined,
  nowMs: number,
): Claim {
  return { input, want: wantOf(input.policy, declared, alert, input.grant, nowMs) };
}

interface Decided {
  readonly decisions: ReadonlyMap<PolicyInput, AlertDecision[]>;
  /** The decision for each row's owner. */
  readonly ofOwners: ReadonlyMap<AlertRow, AlertDecision>;
}

function decideAll(input: PlanInput, rows: readonly AlertRow[]): Decided {
  const inLedger = new Map(input.ledger.map((entry) => [canonicalName(entry.alert), entry]));
  const decisions = new Map<PolicyInput, AlertDecision[]>(input.policies.map((policy) => [policy, []]));
  const ofOwners = new Map<AlertRow, AlertDecision>();
  const windowHold = windowHolds(input.nowMs);
  let { ledgerRoom, deactivationsLeft } = input;
  const inNamespace = input.deactivationsByNamespace && new Map(input.deactivationsByNamespace);
  // A namespace of several may use at most as many as it leaves: then none can use up the hour of the others.
  const leftFor = ({ policy }: PolicyInput) => deactivationsLeft - (inNamespace?.get(policy.metadata.namespace) ?? 0);
  for (const row of rows) {
    let isNewEntry = false;
    let isDeactivating = false;
    const entry = inLedger.get(row.key);
    for (const claim of row.claims) {
      const left = { ledgerRoom, deactivationsLeft: leftFor(claim.input) };
      const decision = decideAlert(nameFor(claim, row), { plan: input, row, claim, entry, ...left, windowHold });
      decisions.get(claim.input)?.push(decision);
      if (claim === row.owner) ofOwners.set(row, decision);
      if (claim !== row.owner || !isDeactivation(decision)) continue;
      isNewEntry = !entry;
      isDeactivating = decision.result === 'Drifted';
    }
    // After all claims on this alert, so that each of them gets the same decision.
    if (isNewEntry) ledgerRoom--;
    if (!isDeactivating) continue;
    deactivationsLeft--;
    const namespace = row.owner?.input.policy.metadata.namespace ?? '';
    inNamespace?.set(namespace, (inNamespace.get(namespace) ?? 0) + 1);
  }
  return { decisions, ofOwners };
}

function isDeactivation(decision: AlertDecision): boolean {
  return decision.want.state === 'Inactive' && (decision.result === 'Drifted' || decision.result === 'Pending');
}

/** The service's spelling, or the policy's when the service does not list the alert. */
function nameFor(claim: Claim, row: AlertRow): string {
  const declared = () => claim.input.policy.spec.alerts?.find((alert) => canonicalName(alert.name) === row.key);
  return row.alert?.name ?? declared()?.name ?? row.key;
}

/** An action for each drifted alert that a policy owns and no rule holds. */
function actionsOf(
  input: PlanInput,
  rows: readonly AlertRow[],
  ofOwners: ReadonlyMap<AlertRow, AlertDecision>,
): Action[] {
  const inLedger = new Set(input.ledger.map((entry) => canonicalName(entry.alert)));
  return rows.flatMap((row) => {
    const { key, alert, owner } = row;
    if (!alert || !owner) return [];
    const decision = ofOwners.get(row);
    if (decision?.result !== 'Drifted' || decision.reason !== undefined) return [];
    const isDeactivatedByOperator = inLedger.has(key);
    const before = statusRowOf(owner, key);
    return [
      {
        alert: alert.name,
        isActive: owner.want.state === 'Active',
        cause: causeOf(owner, before, isDeactivatedByOperator),
        policyKey: owner.input.key,
        actor: attributeDrift(alert, isStillByOperator(isDeactivatedByOperator, before) || input.deactivated.has(key)),
      },
    ];
  });
}

/**
 * An ended dismissal is the cause only for an alert that this operator deactivated; otherwise the alert is declared
 * Active.
 */
function causeOf({ want }: Claim, row: AlertStatus | undefined, isDeactivatedByOperator: boolean): ActionCause {
  const { source } = want;
  if (source === 'Unlisted' || source === 'DismissalHolds') return source;
  return source !== 'NotDeclared' && isEndOfDismissal(want, isDeactivatedByOperator, row) ? source : 'Declared';
}

function statusRowOf({ input }: Claim, key: string): AlertStatus | undefined {
  return input.policy.status?.alerts?.find(({ name }) => canonicalName(name) === key);
}

function decisionOf(input: PolicyInput, alerts: readonly AlertDecision[]): PolicyDecision {
  const sorted = [...alerts].sort((a, b) => byText(a.name, b.name));
  const withheld = withheldFrom(input);
  return { policy: input.policy, key: input.key, alerts: sorted, ...(withheld && { withheld }) };
}

function withheldFrom({ policy: { spec }, grant }: PolicyInput): Withheld | undefined {
  const mode = spec.mode === 'Enforce' && grant.mode === 'Observe';
  const guard = spec.unlisted.state === 'Active' && grant.unlisted === 'Deny';
  return mode || guard ? { mode, guard } : undefined;
}

/** An edit waits for at most so many. */
const mostActivations = 16;

/**
 * Ends of dismissals first, and of each kind of activation those with the fewest tries. Without activations the first
 * deactivation, because each needs a fresh list.
 */
export function nextBatch(actions: readonly Action[], sent: ReadonlyMap<string, PendingWrite>): Action[] {
  const triesOf = ({ alert }: Action) => sent.get(canonicalName(alert))?.tries ?? 0;
  const activations = actions.filter(({ isActive }) => isActive);
  if (activations.length === 0) return actions.slice(0, 1);
  return activations.sort((a, b) => rank(a) - rank(b) || triesOf(a) - triesOf(b)).slice(0, mostActivations);
}

/** True for an activation at the end of a dismissal, which takes priority over corrections of drift. */
export function endsDismissal({ isActive, cause }: Action): boolean {
  return isActive && endings.has(cause);
}

const endings: ReadonlySet<ActionCause> = new Set(['DismissalExpired', 'NewIncidents', 'DeclarationGone']);

function rank(action: Action): number {
  return endsDismissal(action) ? 0 : 1;
}
