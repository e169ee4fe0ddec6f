// The rows and the summary of a status: each alert as it was decided, and the counts over them.
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
import { type DampingMemory, deactivationsOf, isOpen } from './damping.ts';
import { nextDrift } from './drift.ts';
import type { Correction } from './memory.ts';
import type { AlertDecision } from './types.ts';

const rowLimit = 128;

/** What the rows are made from, besides the decisions. */
export interface RowFacts {
  /** With the status before. */
  readonly policy: RoleAlertPolicy;
  readonly corrections: readonly Correction[];
  readonly damping: DampingMemory;
  readonly nowMs: number;
}

/**
 * Sorted by name. A row that holds damping's memory stays while its window is open, also when the policy no longer declares the
 * alert and the service does not list it. Beyond 128 rows those without memory that nobody declared go first.
 */
export function alertRows(decisions: readonly AlertDecision[], facts: RowFacts): AlertStatus[] {
  const previous = new Map(facts.policy.status?.alerts?.map((row) => [canonicalName(row.name), row]));
  const absent = absentRows(previous, decisions, facts);
  const rows = limitRows(decisions, rowLimit - absent.length, facts).map((decision) => {
    const before = previous.get(canonicalName(decision.name));
    return alertRow(decision, memoryOf(decision, before, facts), facts.policy.spec.incidents.limit);
  });
  return absent.length === 0 ? rows : [...rows, ...absent].sort((a, b) => byText(a.name, b.name));
}

/** Of alerts about which nothing was decided: only what damping has to remember. */
function absentRows(
  previous: ReadonlyMap<string, AlertStatus>,
  decisions: readonly AlertDecision[],
  { policy, nowMs }: RowFacts,
): AlertStatus[] {
  const decided = new Set(decisions.map(({ name }) => canonicalName(name)));
  return [...previous]
    .filter(([key]) => !decided.has(key))
    .flatMap(([, { name, deactivations }]) =>
      deactivations && isOpen(deactivations, policy, nowMs) ? [absentRow(name, deactivations)] : [],
    )
    .slice(0, rowLimit);
}

function absentRow(name: string, deactivations: DeactivationCount): AlertStatus {
  const seen = { want: 'None', live: 'Missing', state: 'Missing', result: 'Unmanaged', scanning: 'Unknown' } as const;
  return { name, ...seen, deactivations, incidents: { total: 0 } };
}

type RowMemory = Pick<AlertStatus, 'verifiedAt' | 'lastDrift' | 'deactivations'>;

/** What a row keeps from before, and what was seen just now. */
function memoryOf(decision: AlertDecision, before: AlertStatus | undefined, facts: RowFacts): RowMemory {
  const { policy, damping, nowMs } = facts;
  const corrections = facts.corrections.filter(({ alert }) => sameName(alert, decision.name));
  const seenAtMs = corrections.at(-1)?.seenAtMs;
  const verifiedAt = seenAtMs === undefined ? before?.verifiedAt : formatTimestamp(seenAtMs);
  const lastDrift = nextDrift(decision, before, corrections, nowMs);
  const deactivations = deactivationsOf(policy, decision.name, damping, nowMs);
  return {
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

/** The lower, the longer it stays. */
function rowRank({ name, want }: AlertDecision, { policy, damping, nowMs }: RowFacts): number {
  const count = deactivationsOf(policy, name, damping, nowMs);
  if (count && isOpen(count, policy, nowMs)) return 0;
  if (want.state === 'None') return 3;
  return want.source === 'Unlisted' ? 2 : 1;
}

function alertRow(decision: AlertDecision, memory: RowMemory, sampleLimit: number): AlertStatus {
  const { alert } = decision;
  return {
    name: decision.name,
    want: decision.want.state,
    live: liveOf(alert),
    state: stateOf(alert),
    result: decision.result,
    ...(alert?.severity !== undefined && { severity: alert.severity }),
    scanning: scanningOf(alert),
    ...memory,
    incidents: summarizeIncidents(alert, sampleLimit),
  };
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

function scanningOf(alert: Alert | undefined): AlertScanning {
  if (alert?.isScanned === undefined) return 'Unknown';
  return alert.isScanned ? 'Enabled' : 'Disabled';
}

/** Counts over the alerts that the policy wants something of; incidents over those it can see. */
export function summarizeAlerts(decisions: readonly AlertDecision[]): PolicySummary {
  const managed = decisions.filter(({ want }) => want.state !== 'None');
  const count = (fits: (decision: AlertDecision) => boolean) => managed.filter(fits).length;
  const inSync = count(({ result }) => result === 'InSync');
  return {
    declared: managed.length,
    inSync,
    drifted: count(({ result }) => result !== 'InSync' && result !== 'Missing'),
    missing: count(({ alert }) => alert === undefined),
    dismissed: count(({ want, alert }) => want.state === 'Inactive' && alert?.isActive === false),
    incidents: managed.reduce((sum, { alert }) => sum + (alert?.incidentCount ?? 0), 0),
    inSyncText: `${inSync}/${managed.length}`,
  };
}
