// The rows and the summary of a policy's status: one row per declared or guarded alert with its decision, and the counts
// over the alerts.
import { canonicalName, sameName } from '../../alerts/resource-id.ts';
import { summarizeIncidents } from '../../alerts/summary.ts';
import type { Alert } from '../../alerts/types.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import { dismissalEndMs } from '../../policy/dismissal.ts';
import type {
  AlertResult,
  AlertScanning,
  AlertState,
  AlertStatus,
  AlertWant,
  PolicySummary,
} from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { severityRank } from '../../policy/severity.ts';
import { isEnded, type Want } from '../../policy/wants.ts';
import type { AlertDecision } from '../decide/decisions.ts';
import { nextDrift } from '../decide/drift.ts';
import { endingNoticeMs } from '../decide/schedule.ts';
import type { Correction } from '../decide/writes.ts';
import type { MissingAlert } from '../reasons/message-facts.ts';
import { nameLimit } from './event-draft.ts';

/** The number of rows that the schema allows. */
const rowLimit = 128;

/** The input of the rows besides the decisions. */
export interface RowFacts {
  /** With its previous status. */
  readonly policy: RoleAlertPolicy;
  readonly corrections: readonly Correction[];
  readonly nowMs: number;
}

/** The rows sorted by name, at most 128: the alerts that the policy declares or guards. If there are too many, guarded ones go first. */
export function alertRows(decisions: readonly AlertDecision[], facts: RowFacts): AlertStatus[] {
  const previous = new Map(facts.policy.status?.alerts?.map((row) => [canonicalName(row.name), row]));
  return limitRows(decisions.filter(isManaged)).map((decision) => {
    const before = previous.get(canonicalName(decision.name));
    return alertRow(decision, memoryOf(decision, before, facts), facts.policy.spec.incidents.limit);
  });
}

type ManagedDecision = AlertDecision & { readonly want: { readonly state: AlertWant }; readonly result: AlertResult };

/** True when the policy declares or guards the alert. */
function isManaged(decision: AlertDecision): decision is ManagedDecision {
  const { want } = decision;
  return want.state !== 'None';
}

type RowMemory = Pick<AlertStatus, 'dismissalEnding' | 'missingSince' | 'verifiedAt' | 'lastDrift'>;

/** The fields of a row that outlast one reconcile. */
function memoryOf(decision: AlertDecision, before: AlertStatus | undefined, facts: RowFacts): RowMemory {
  const corrections = facts.corrections.filter(({ alert }) => sameName(alert, decision.name));
  const seenAtMs = corrections.at(-1)?.seenAtMs;
  const verifiedAt = seenAtMs === undefined ? before?.verifiedAt : formatTimestamp(seenAtMs);
  const lastDrift = nextDrift(decision, before, corrections, facts.nowMs);
  const ending = dismissalEnding(decision, before, facts);
  const missing = missingSince(decision, before, facts.nowMs);
  return {
    ...(ending !== undefined && { dismissalEnding: ending }),
    ...(missing !== undefined && { missingSince: missing }),
    ...(verifiedAt !== undefined && { verifiedAt }),
    ...(lastDrift && { lastDrift }),
  };
}

/** An alert that was not listed before has no time: its name may be misspelled. */
function missingSince({ alert }: AlertDecision, before: AlertStatus | undefined, nowMs: number): string | undefined {
  if (alert || !before) return undefined;
  return before.live === 'Missing' ? before.missingSince : formatTimestamp(nowMs);
}

/** What a message says of the first alerts that the policy misses. */
export function missingAlerts(
  decisions: readonly AlertDecision[],
  { status }: RoleAlertPolicy,
  nowMs: number,
): readonly MissingAlert[] {
  const missing = decisions.filter(({ result }) => result === 'Missing').slice(0, nameLimit);
  return missing.map((decision) => {
    const before = status?.alerts?.find(({ name }) => sameName(name, decision.name));
    return { name: decision.name, since: missingSince(decision, before, nowMs) };
  });
}

/** The end of a dismissal in force once it is announced. The status is its memory, so that a restart and a drift repeat no event. */
function dismissalEnding(
  { name, want, alert, result }: AlertDecision,
  before: AlertStatus | undefined,
  { policy, nowMs }: RowFacts,
): string | undefined {
  if (want.source !== 'DismissalHolds') return undefined;
  const dismissal = policy.spec.alerts?.find((declared) => sameName(declared.name, name))?.dismissal;
  const endMs = dismissal && dismissalEndMs(dismissal);
  if (endMs === undefined || endMs - nowMs > endingNoticeMs) return undefined;
  const end = formatTimestamp(endMs);
  const isInForce = result === 'InSync' && alert?.isActive === false;
  return isInForce || before?.dismissalEnding === end ? end : undefined;
}

function limitRows(decisions: readonly ManagedDecision[]): readonly ManagedDecision[] {
  if (decisions.length <= rowLimit) return decisions;
  const isGuarded = ({ want }: AlertDecision) => want.source === 'Unlisted';
  const ranked = [...decisions.filter((each) => !isGuarded(each)), ...decisions.filter(isGuarded)];
  const kept = new Set(ranked.slice(0, rowLimit));
  return decisions.filter((decision) => kept.has(decision));
}

function alertRow(decision: ManagedDecision, memory: RowMemory, idLimit: number): AlertStatus {
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
