// The rows and the summary of a status: each alert as it was decided, and the counts over them.
import { summarizeIncidents } from '../alerts/summary.ts';
import type { Alert } from '../alerts/types.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import type { AlertScanning, AlertState, AlertStatus, PolicySummary } from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import type { Correction } from './corrections.ts';
import { nextDeactivations } from './damping.ts';
import { nextDrift } from './drift.ts';
import type { AlertDecision } from './types.ts';

const rowLimit = 128;

/** Sorted by name. Beyond 128 rows those that nobody declared go first. */
export function alertRows(
  decisions: readonly AlertDecision[],
  policy: RoleAlertPolicy,
  corrections: readonly Correction[],
  nowMs: number,
): AlertStatus[] {
  const previous = new Map(policy.status?.alerts?.map((row) => [row.name, row]));
  return limitRows(decisions).map((decision) => {
    const before = previous.get(decision.name);
    const own = corrections.filter(({ alert }) => alert === decision.name);
    return alertRow(decision, memoryOf(decision, before, own, policy, nowMs), policy.spec.incidents.limit);
  });
}

type RowMemory = Pick<AlertStatus, 'verifiedAt' | 'lastDrift' | 'deactivations'>;

/** What a row keeps from before, and what was seen just now. */
function memoryOf(
  decision: AlertDecision,
  before: AlertStatus | undefined,
  corrections: readonly Correction[],
  policy: RoleAlertPolicy,
  nowMs: number,
): RowMemory {
  const verifiedAt = corrections.length > 0 ? formatTimestamp(nowMs) : before?.verifiedAt;
  const lastDrift = nextDrift(decision, before, corrections, nowMs);
  const seenOff = corrections.filter(({ isActive }) => !isActive).length;
  const deactivations = nextDeactivations(before?.deactivations, seenOff, policy, nowMs);
  return {
    ...(verifiedAt !== undefined && { verifiedAt }),
    ...(lastDrift && { lastDrift }),
    ...(deactivations && { deactivations }),
  };
}

function limitRows(decisions: readonly AlertDecision[]): readonly AlertDecision[] {
  if (decisions.length <= rowLimit) return decisions;
  const managed = decisions.filter(({ want }) => want.state !== 'None').slice(0, rowLimit);
  const others = decisions.filter(({ want }) => want.state === 'None').slice(0, rowLimit - managed.length);
  const kept = new Set([...managed, ...others]);
  return decisions.filter((decision) => kept.has(decision));
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
