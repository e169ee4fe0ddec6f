// The rows and the summary of a policy's status: one row per declared or guarded alert with its decision, and the counts
// over the alerts.
import { canonicalName, sameName } from '../alerts/resource-id.ts';
import { summarizeIncidents } from '../alerts/summary.ts';
import type { Alert } from '../alerts/types.ts';
import { byText } from '../lib/by-text.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import type {
  AlertScanning,
  AlertState,
  AlertStatus,
  DeactivationCount,
  PolicySummary,
} from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import { severityRank } from '../policy/severity.ts';
import { isEnded, type Want } from '../policy/wants.ts';
import { type DampingMemory, deactivationsOf, mayCount } from './damping.ts';
import type { AlertDecision } from './decisions.ts';
import { dismissalEnding } from './dismissal-ending.ts';
import { nextDrift } from './drift.ts';
import type { Correction } from './memory.ts';

/** The number of rows that the schema allows. */
const rowLimit = 128;

/** The input of the rows besides the decisions. */
export interface RowFacts {
  /** With its previous status. */
  readonly policy: RoleAlertPolicy;
  readonly corrections: readonly Correction[];
  readonly damping: DampingMemory;
  readonly nowMs: number;
}

/**
 * The rows sorted by name, at most 128: the alerts that the policy declares or guards. A row with a deactivation count
 * stays while damping counts it or may count it again, even if the policy no longer declares the alert and the service no longer
 * lists it. If there are too many rows, guarded alerts without one go first.
 */
export function alertRows(decisions: readonly AlertDecision[], facts: RowFacts): AlertStatus[] {
  const previous = new Map(facts.policy.status?.alerts?.map((row) => [canonicalName(row.name), row]));
  const absent = absentRows(previous, decisions, facts);
  const shown = decisions.filter((decision) => isManaged(decision) || hasMemory(decision, facts));
  const rows = limitRows(shown, rowLimit - absent.length, facts).map((decision) => {
    const before = previous.get(canonicalName(decision.name));
    return alertRow(decision, memoryOf(decision, before, facts), facts.policy.spec.incidents.limit);
  });
  return absent.length === 0 ? rows : [...rows, ...absent].sort((a, b) => byText(a.name, b.name));
}

/** True when the policy declares or guards the alert. */
function isManaged({ want }: AlertDecision): boolean {
  return want.state !== 'None';
}

/** True when damping counts deactivations of it or may count them again. */
function hasMemory({ name }: AlertDecision, { policy, damping, nowMs }: RowFacts): boolean {
  const count = deactivationsOf(policy, name, damping, nowMs);
  return count !== undefined && mayCount(count, policy, nowMs);
}

/** Rows for alerts without a decision, which only carry the deactivation count. */
function absentRows(
  previous: ReadonlyMap<string, AlertStatus>,
  decisions: readonly AlertDecision[],
  { policy, nowMs }: RowFacts,
): AlertStatus[] {
  const decided = new Set(decisions.map(({ name }) => canonicalName(name)));
  return [...previous]
    .filter(([key]) => !decided.has(key))
    .flatMap(([, { name, deactivations }]) =>
      deactivations && mayCount(deactivations, policy, nowMs) ? [absentRow(name, deactivations)] : [],
    )
    .slice(0, rowLimit);
}

function absentRow(name: string, deactivations: DeactivationCount): AlertStatus {
  const seen = { want: 'None', live: 'Missing', state: 'Missing', result: 'Unmanaged', scanning: 'Unknown' } as const;
  return { name, ...seen, deactivations, incidents: { total: 0 } };
}

type RowMemory = Pick<AlertStatus, 'dismissalEnding' | 'verifiedAt' | 'lastDrift' | 'deactivations'>;

/** The fields of a row that outlast one reconcile. */
function memoryOf(decision: AlertDecision, before: AlertStatus | undefined, facts: RowFacts): RowMemory {
  const { policy, damping, nowMs } = facts;
  const corrections = facts.corrections.filter(({ alert }) => sameName(alert, decision.name));
  const seenAtMs = corrections.at(-1)?.seenAtMs;
  const verifiedAt = seenAtMs === undefined ? before?.verifiedAt : formatTimestamp(seenAtMs);
  const lastDrift = nextDrift(decision, before, corrections, nowMs);
  const deactivations = deactivationsOf(policy, decision.name, damping, nowMs);
  const ending = dismissalEnding(decision, before, policy, nowMs);
  return {
    ...(ending !== undefined && { dismissalEnding: ending }),
    ...(verifiedAt !== undefined && { verifiedAt }),
    ...(lastDrift && { lastDrift }),
    ...(deactivations && { deactivations }),
  };
}

function limitRows(decisions: readonly AlertDecision[], limit: number, facts: RowFacts): readonly AlertDecision[] {
  if (decisions.length <= limit) return decisions;
  const ranked = decisions.map((decision) => ({ decision, rank: rowRank(decision, facts) }));
  ranked.sort((a, b) => a.rank - b.rank);
  const kept = new Set(ranked.slice(0, limit).map(({ decision }) => decision));
  return decisions.filter((decision) => kept.has(decision));
}

/** Rows with a lower rank stay longer. */
function rowRank(decision: AlertDecision, facts: RowFacts): number {
  if (hasMemory(decision, facts)) return 0;
  return decision.want.source === 'Unlisted' ? 2 : 1;
}

function alertRow(decision: AlertDecision, memory: RowMemory, idLimit: number): AlertStatus {
  const { alert, want } = decision;
  const scanning = scanningOf(alert);
  return {
    name: decision.name,
    want: want.state,
    ...(isEnded(want.source) && { dismissalEnded: want.source }),
    live: liveOf(alert),
    state: stateOf(alert),
    result: decision.result,
    ...(alert?.severity !== undefined && { severity: alert.severity }),
    ...(scanning !== undefined && { scanning }),
    ...memory,
    incidents: summarizeIncidents(alert, isDeclared(want) ? idLimit : 0),
  };
}

/** False for an alert that the policy only guards: a dismissal, which needs the ids of incidents, begins with a declaration. */
function isDeclared({ source }: Want): boolean {
  return source !== 'Unlisted' && source !== 'NotDeclared';
}

function liveOf(alert: Alert | undefined): AlertStatus['live'] {
  if (!alert) return 'Missing';
  return alert.isActive ? 'Active' : 'Inactive';
}

export function stateOf(alert: Alert | undefined): AlertState {
  if (!alert) return 'Missing';
  const hasIncidents = alert.incidentCount > 0;
  if (alert.isActive) return hasIncidents ? 'Firing' : 'Armed';
  return hasIncidents ? 'Dismissed' : 'Quiet';
}

/** Undefined when the service scans for incidents, as usual: every value of a status costs the API server work. */
function scanningOf(alert: Alert | undefined): AlertScanning | undefined {
  if (alert?.isScanned === undefined) return 'Unknown';
  return alert.isScanned ? undefined : 'Disabled';
}

/** Counts the alerts that the policy declares or guards, their incidents, and the other alerts that the service lists. */
export function summarizeAlerts(decisions: readonly AlertDecision[]): PolicySummary {
  const managed = decisions.filter(isManaged);
  const count = (fits: (decision: AlertDecision) => boolean) => managed.filter(fits).length;
  const inSync = count(({ result }) => result === 'InSync');
  return {
    declared: managed.length,
    inSync,
    drifted: count(({ result }) => result !== 'InSync' && result !== 'Missing'),
    missing: count(({ alert }) => alert === undefined),
    dismissed: count(({ want, alert }) => want.state === 'Inactive' && alert?.isActive === false),
    incidents: incidentsOf(managed),
    highIncidents: incidentsOf(managed.filter(isHigh)),
    unmanagedCount: decisions.length - managed.length,
    inSyncText: `${inSync}/${managed.length}`,
  };
}

/** An unknown severity counts as High. */
function isHigh({ alert }: AlertDecision): boolean {
  return alert !== undefined && severityRank(alert.severity) >= severityRank('High');
}

function incidentsOf(decisions: readonly AlertDecision[]): number {
  return decisions.reduce((sum, { alert }) => sum + (alert?.incidentCount ?? 0), 0);
}
