// The next status of a policy: a pure function of the previous status and the outcome of a reconcile. The controller
// writes it only when it differs, so it has no counters of reconciles, no durations, and no times other than those of
// changes.
import { canonicalScope } from '../../alerts/resource-id.ts';
import { fitsBytes } from '../../lib/clean-text.ts';
import { formatDuration, parseDuration } from '../../lib/duration.ts';
import type {
  AlertStatus,
  EffectiveSettings,
  RoleAlertPolicyStatus,
} from '../../policy/generated/role-alert-policy.ts';
import { pendingStatus, requestedAtAnnotation, type RoleAlertPolicy } from '../../policy/resources.ts';
import type { StatusCause } from '../decide/conclude.ts';
import type { AlertDecision, PolicyInput } from '../decide/decisions.ts';
import { nextHistory } from '../decide/writes.ts';
import {
  type ConditionDraft,
  type ConditionDrafts,
  conditionOf,
  nextConditions,
  no,
  yes,
} from '../reasons/conditions.ts';
import { factsOfPolicy, type MessageFacts } from '../reasons/message-facts.ts';
import type { ConnectionReason } from '../reasons/reasons.ts';
import { alertRows, missingAlerts, summarizeAlerts } from './alert-status.ts';
import {
  type ConditionSet,
  conditionsOfDecisions,
  conditionsOfDeletingConnection,
  conditionsOfFailure,
  conditionsOfSuspension,
  conditionsWithoutList,
  namedAlerts,
} from './condition-set.ts';

/** Maximum length of `lastHandledReconcileAt` in the schema, in characters. */
const echoLimit = 256;

/** The value of `status.lastHandledReconcileAt` for a request: cut to the maximum length without splitting a surrogate pair. */
export function echoOf(requested: string): string {
  return requested.slice(0, echoLimit).replace(/[\ud800-\udbff]$/, '');
}

export interface StatusInput {
  readonly policy: RoleAlertPolicy;
  readonly cause: StatusCause;
  readonly effective: EffectiveSettings;
  /** The health of the connection; `keep` while it is unknown, undefined without a connection. */
  readonly connection: ConnectionReason | 'keep' | undefined;
  /** What messages name of the connection, if it exists. */
  readonly connectionFacts?: MessageFacts | undefined;
  readonly nowMs: number;
}

export function nextPolicyStatus(input: StatusInput): RoleAlertPolicyStatus {
  const { policy, cause, nowMs } = input;
  const previous: RoleAlertPolicyStatus = policy.status ?? pendingStatus;
  const { generation } = policy.metadata;
  const conditions = conditionSetOf(input, previous);
  const drafts: ConditionDrafts = { ...conditions, ...neutralDrafts(input) };
  const handled = handledRequest(policy, cause) ?? previous.lastHandledReconcileAt;
  return fitStatus({
    observedGeneration: isThrottled(cause) ? previous.observedGeneration : generation,
    ...(handled !== undefined && { lastHandledReconcileAt: echoOf(handled) }),
    effective: input.effective,
    conditions: nextConditions(previous.conditions ?? [], drafts, generation, nowMs, factsOf(input)),
    ...seenParts(input, previous),
  });
}

/** What the messages of the policy name. */
export function factsOf({ policy, effective, connectionFacts, cause, nowMs }: StatusInput): MessageFacts {
  const facts = { ...connectionFacts, ...factsOfPolicy(policy, effective) };
  if (cause.kind !== 'listed') return facts;
  const { alerts, withheld } = cause.decision;
  const missing = missingAlerts(alerts, policy, nowMs);
  return { ...facts, missing, ...(withheld?.mode && { observing: 'Grant' }) };
}

/** The conditions stay those of the last reconcile, so they say nothing of a newer spec. */
function isThrottled(cause: StatusCause): boolean {
  return cause.kind === 'failed' && cause.failure.kind === 'throttled';
}

/** A failed reconcile that is retried has not handled the reconcile request. */
function handledRequest({ metadata }: RoleAlertPolicy, cause: StatusCause): string | undefined {
  if (cause.kind === 'failed' && cause.failure.kind !== 'stalled') return undefined;
  return metadata.annotations?.[requestedAtAnnotation];
}

function conditionSetOf({ cause, effective, nowMs }: StatusInput, previous: RoleAlertPolicyStatus): ConditionSet {
  switch (cause.kind) {
    case 'listed':
      return conditionsOfDecisions(cause.decision, hasMissed(previous, effective, nowMs));
    case 'failed':
      return conditionsOfFailure(cause.failure, cause.isStale, previous);
    case 'suspended':
      return conditionsOfSuspension;
    case 'no-connection':
      return conditionsWithoutList('ConnectionNotFound');
    case 'connection-deleting':
      return conditionsOfDeletingConnection;
    case 'access-denied':
      return conditionsWithoutList('AccessDenied');
  }
}

/** True when an alert was missing an interval ago: the service may list it with a delay. */
function hasMissed(previous: RoleAlertPolicyStatus, { interval }: EffectiveSettings, nowMs: number): boolean {
  const ready = conditionOf(previous, 'Ready');
  return (
    ready?.reason === 'AlertNotFound' && nowMs - Date.parse(ready.lastTransitionTime) >= (parseDuration(interval) ?? 0)
  );
}

/** The conditions that report findings and do not affect Ready. */
function neutralDrafts({ policy, cause, connection }: StatusInput): ConditionDrafts {
  const connectionReady = connectionDraft(connection);
  if (cause.kind === 'suspended') {
    // A suspended policy does not try a connection that was created since, so its state is unknown.
    const wasMissing = conditionOf(policy.status, 'ConnectionReady')?.reason === 'ConnectionNotFound';
    const kept = { IncidentsOpen: 'keep', Coverage: 'keep' } as const;
    return wasMissing ? kept : { ConnectionReady: 'keep', ...kept };
  }
  // What the connection finds is for those who may use it.
  if (cause.kind === 'access-denied') return { IncidentsOpen: 'keep', Coverage: 'keep' };
  if (cause.kind !== 'listed') return { ConnectionReady: connectionReady, IncidentsOpen: 'keep', Coverage: 'keep' };
  const { alerts } = cause.decision;
  return {
    ConnectionReady: connectionReady,
    IncidentsOpen: finding(alerts.filter(isFiring), yes('IncidentsFound')) ?? no('NoIncidents'),
    Coverage: finding(alerts.filter(isUnscanned), no('ScanningDisabled')),
  };
}

/** Undefined unless there are such alerts. */
function finding(alerts: readonly AlertDecision[], draft: ConditionDraft): ConditionDraft | undefined {
  return alerts.length === 0 ? undefined : { ...draft, facts: { alerts: namedAlerts(alerts) } };
}

function connectionDraft(connection: StatusInput['connection']): ConditionDraft | 'keep' {
  if (connection === 'keep') return connection;
  if (connection === undefined) return no('ConnectionNotFound');
  return connection === 'Connected' ? yes(connection) : no(connection);
}

function isFiring({ want, alert }: AlertDecision): boolean {
  return want.state !== 'None' && alert?.isActive === true && alert.incidentCount > 0;
}

function isUnscanned({ want, alert }: AlertDecision): boolean {
  return want.state === 'Active' && alert?.isScanned === false;
}

type SeenParts = Pick<RoleAlertPolicyStatus, 'summary' | 'alerts' | 'history'>;

/** The parts that only a complete list changes; after a failure they stay as they were. */
function seenParts({ policy, cause, nowMs }: StatusInput, previous: RoleAlertPolicyStatus): SeenParts {
  const history = previous.history ?? [];
  if (cause.kind !== 'listed') {
    const { summary, alerts } = previous;
    return {
      ...(summary && { summary }),
      ...(alerts && { alerts }),
      ...(history.length > 0 && { history }),
    };
  }
  const { decision, corrections } = cause;
  const next = nextHistory(history, corrections);
  return {
    summary: summarizeAlerts(decision.alerts),
    alerts: alertRows(decision.alerts, { policy, corrections, nowMs }),
    ...(next.length > 0 && { history: next }),
  };
}

/**
 * The settings in effect: the mode that is granted, or Observe under `--read-only`, the interval raised to the connection's minimum, the canonical
 * scope.
 */
export function effectiveSettings(
  { policy, grant }: Pick<PolicyInput, 'policy' | 'grant'>,
  intervalMs: number,
  isReadOnly: boolean,
): EffectiveSettings {
  const { mode, scope } = policy.spec;
  return {
    mode: isReadOnly || grant.mode === 'Observe' ? 'Observe' : mode,
    interval: formatDuration(intervalMs),
    scope: canonicalScope(scope),
  };
}

/** Bytes of JSON; leaves room below the promised 64 KiB for what the API server adds. */
export const statusLimitBytes = 60 * 1024;

/** Ordered from the least loss to the greatest. */
const shrinks: readonly ((alert: AlertStatus) => AlertStatus)[] = [
  ...[25, 12, 6, 3, 1, 0].map((limit) => (alert: AlertStatus) => withIds(alert, limit)),
  totalsOnly,
  withoutSeverity,
];

/**
 * Keeps a status below 64 KiB however many incidents the service returns. It drops ids of incidents first, then counts by type, then
 * severities, and rows last. Totals remain.
 */
export function fitStatus(status: RoleAlertPolicyStatus): RoleAlertPolicyStatus {
  let fitted = status;
  for (const shrink of shrinks) {
    if (fits(fitted)) return fitted;
    fitted = withAlerts(status, shrink);
  }
  return withFewerRows(fitted);
}

/** The last resort, for very long names: drops the last rows. */
function withFewerRows(status: RoleAlertPolicyStatus): RoleAlertPolicyStatus {
  let { alerts = [] } = status;
  while (alerts.length > 0 && !fits({ ...status, alerts })) alerts = alerts.slice(0, Math.floor(alerts.length * 0.9));
  return { ...status, ...(status.alerts && { alerts }) };
}

function fits(status: RoleAlertPolicyStatus): boolean {
  return fitsBytes(JSON.stringify(status), statusLimitBytes);
}

function withAlerts(status: RoleAlertPolicyStatus, shrink: (alert: AlertStatus) => AlertStatus): RoleAlertPolicyStatus {
  return { ...status, ...(status.alerts && { alerts: status.alerts.map(shrink) }) };
}

function withIds(alert: AlertStatus, limit: number): AlertStatus {
  const { ids, ...incidents } = alert.incidents;
  if (!ids || ids.length <= limit) return alert;
  const shorter = limit > 0 ? { ids: ids.slice(0, limit) } : {};
  return { ...alert, incidents: { ...incidents, ...shorter, truncated: true } };
}

/** The service may return a severity of any length. */
function withoutSeverity(alert: AlertStatus): AlertStatus {
  const { severity: _, ...rest } = totalsOnly(alert);
  return rest;
}

function totalsOnly(alert: AlertStatus): AlertStatus {
  const { total } = alert.incidents;
  return { ...alert, incidents: { total, ...(total > 0 && { truncated: true }) } };
}
