// What a plan decided, as facts in plain text: a recording keeps them, and a replay compares them with what another version
// decides, fact by fact. A fact has the words of statuses and events, and nothing that a person wrote.
import { byText } from '../../lib/compare-text.ts';
import type { Action, AlertDecision, Plan, PlanInput, PolicyDecision } from '../decide/decisions.ts';
import type { Declaration } from '../dismissals/register.ts';

/** In the order of a report, the most important first. */
export const factKinds = ['Action', 'Decision', 'Grant', 'Dismissal', 'NextChange'] as const;
export type FactKind = (typeof factKinds)[number];

/** One thing that was decided. A plan has at most one fact of a kind about the same policy and alert. */
export interface Fact {
  readonly kind: FactKind;
  /** `namespace/name`. */
  readonly policy?: string;
  /** In the service's spelling, or as the policy or the ledger spells it. */
  readonly alert?: string;
  readonly value: string;
}

/** What the controller planned for one scope. */
export interface ScopePlan {
  /** `namespace/name`, or `/name` of a ClusterRoleAlertConnection. */
  readonly connection: string;
  readonly scope: string;
  readonly input: PlanInput;
  readonly plan: Plan;
}

/** What a recording keeps of it. */
export interface PlanRecord extends Omit<ScopePlan, 'plan'> {
  /** The version of the program that decided. */
  readonly program: string;
  readonly facts: readonly Fact[];
}

export function planFacts(plan: Plan): readonly Fact[] {
  return [
    ...plan.actions.map(actionFact),
    ...plan.policies.flatMap(policyFacts),
    ...dismissalFacts(plan),
    ...(plan.nextChangeMs === undefined ? [] : [{ kind: 'NextChange', value: timeText(plan.nextChangeMs) } as const]),
  ];
}

function actionFact({ alert, isActive, cause, policyKey, actor }: Action): Fact {
  const policy = policyKey === undefined ? {} : { policy: policyKey };
  return { kind: 'Action', ...policy, alert, value: `${isActive ? 'activate' : 'deactivate'}: ${cause}, ${actor}` };
}

function policyFacts({ key, alerts, withheld }: PolicyDecision): readonly Fact[] {
  const decisions = alerts.map((decision): Fact => {
    return { kind: 'Decision', policy: key, alert: decision.name, value: decisionText(decision) };
  });
  if (!withheld) return decisions;
  const parts = [withheld.mode && 'Enforce', withheld.guard && 'unlisted'].filter((part) => part !== false);
  return [...decisions, { kind: 'Grant', policy: key, value: `not granted: ${parts.join(', ')}` }];
}

function decisionText(decision: AlertDecision): string {
  const {
    want,
    result,
    reason,
    isDeactivatedByOperator,
    dismissedSince,
    isUndone,
    serviceCode,
    ownerKey,
    untilMs,
    invalidWindow,
  } = decision;
  const denial = want.denial === undefined ? '' : `, ${want.denial}`;
  const details = [
    isDeactivatedByOperator && 'deactivated by the operator',
    dismissedSince !== undefined && `since ${dismissedSince}`,
    isUndone && 'activated again and again',
    serviceCode !== undefined && `error ${serviceCode}`,
    ownerKey !== undefined && `owned by ${ownerKey}`,
    reason === 'WaitingForWindow' && untilMs !== undefined && `opens ${timeText(untilMs)}`,
    invalidWindow !== undefined && `invalid ${invalidWindow}`,
  ].filter((detail) => typeof detail === 'string');
  const outcome = reason === undefined ? result : `${result} (${reason})`;
  return [outcome, `wants ${want.state} (${want.source}${denial})`, ...details].join('; ');
}

function dismissalFacts({ resolvedDismissals, kept, missing, declared }: Plan): readonly Fact[] {
  const values = new Map<string, string[]>();
  const add = (alert: string, value: string) => values.set(alert, [...(values.get(alert) ?? []), value]);
  for (const { alert } of resolvedDismissals) add(alert, 'resolved');
  for (const { entry, policyKey } of kept) add(entry.alert, `kept by ${policyKey}`);
  for (const { alert } of missing) add(alert, 'missing');
  for (const [{ alert }, declaration] of declared) add(alert, declarationText(declaration));
  return [...values].map(([alert, texts]) => ({ kind: 'Dismissal', alert, value: texts.join('; ') }));
}

/** Without the reason, which a person wrote. */
function declarationText({ policy, until, incidents, maxIncidents }: Declaration): string {
  const bounds = [
    until !== undefined && ` until ${until}`,
    incidents !== undefined && ` of ${incidents} incidents`,
    maxIncidents !== undefined && ` up to ${maxIncidents} incidents`,
  ].filter((bound) => typeof bound === 'string');
  return `declared by ${policy}${bounds.join('')}`;
}

/** With milliseconds; a time outside the calendar as its number. */
function timeText(timeMs: number): string {
  const time = new Date(timeMs);
  return Number.isNaN(time.getTime()) ? String(timeMs) : time.toISOString();
}

/** A fact that only one of two plans has, or has with another value. */
export interface FactDifference extends Omit<Fact, 'value'> {
  /** Undefined when the plan has no such fact. */
  readonly before: string | undefined;
  readonly now: string | undefined;
}

/** By kind, then by policy and alert. */
export function factDifferences(before: readonly Fact[], now: readonly Fact[]): readonly FactDifference[] {
  const byKey = new Map<string, FactDifference>();
  for (const { value, ...about } of before) byKey.set(keyOf(about), { ...about, before: value, now: undefined });
  for (const { value, ...about } of now) {
    byKey.set(keyOf(about), { ...about, before: byKey.get(keyOf(about))?.before, now: value });
  }
  const differing = [...byKey.values()].filter((difference) => difference.before !== difference.now);
  return sortDifferences(differing);
}

export function sortDifferences<D extends FactDifference>(differences: readonly D[]): D[] {
  return [...differences].sort(
    (a, b) => factKinds.indexOf(a.kind) - factKinds.indexOf(b.kind) || byText(keyOf(a), keyOf(b)),
  );
}

function keyOf({ kind, policy = '', alert = '' }: Omit<Fact, 'value'>): string {
  return `${kind}\n${policy}\n${alert}`;
}
