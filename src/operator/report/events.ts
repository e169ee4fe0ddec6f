// The events of a status transition: when there is one, and what it says. The rows and conditions of the previous status are the memory,
// so an unchanged status emits no event, and a restart repeats none. A transition that a condition shows has its reason and message.
// Notes name alerts and no people; ids, types and assignees of incidents stay out of them.
import { canonicalName, sameName } from '../../alerts/resource-id.ts';
import type { Alert } from '../../alerts/types.ts';
import { isSameJson } from '../../lib/json-shape.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type {
  AlertStatus,
  DismissalEnd,
  LastDrift,
  RoleAlertPolicyStatus,
} from '../../policy/generated/role-alert-policy.ts';
import { severityRank } from '../../policy/severity.ts';
import { isEnded } from '../../policy/wants.ts';
import type { AlertDecision } from '../decide/decisions.ts';
import { isDrift } from '../decide/drift.ts';
import { windowFacts } from '../decide/rules.ts';
import type { Correction } from '../decide/writes.ts';
import { conditionOf } from '../reasons/conditions.ts';
import { fillIn, type MessageFacts } from '../reasons/message-facts.ts';
import { conditionMessage, type PolicyReason, type Reason } from '../reasons/reasons.ts';
import { resultShownBy } from './condition-set.ts';
import { type EventDraft, eventOf, type Finding, joinFindings, namingAll } from './event-draft.ts';
import { factsOf, type StatusInput } from './policy-status.ts';

type Status = RoleAlertPolicyStatus;

/** The events once `next` has replaced `previous`. */
export function statusEvents(input: StatusInput, previous: Status | undefined, next: Status): EventDraft[] {
  const { policy, cause } = input;
  const isListed = cause.kind === 'listed';
  return [
    ...suspensionEvents(previous, next, policy.spec),
    ...(isListed ? alertEvents(previous, next, cause.decision.alerts, cause.corrections, factsOf(input)) : []),
    ...readyEvents(previous, next, isListed),
  ];
}

/** A suspension that `suspendUntil` ended. An edit that ends one needs no event: its author knows. */
function suspensionEvents(
  previous: Status | undefined,
  next: Status,
  { suspend, suspendUntil }: StatusInput['policy']['spec'],
): EventDraft[] {
  const isShown = (status: Status | undefined) => conditionOf(status, 'Ready')?.reason === 'Suspended';
  if (!suspend || suspendUntil === undefined || !isShown(previous) || isShown(next)) return [];
  return [eventOf('SuspensionEnded', `The suspension ended at ${suspendUntil}; the policy is reconciled again.`)];
}

/** What no alert shows. What concerns the whole connection is an event of the connection, once and not for each of its policies. */
const reportedReasons: readonly PolicyReason[] = [
  'GuardDenied',
  'ConnectionNotFound',
  'AccessDenied',
  'ScopeRejected',
  'ScopeForbidden',
  'ScopeNotFound',
  'ProtocolError',
  'ListTooLarge',
  'UnsafeNextLink',
  'ServiceUnreachable',
  'Stale',
  'InternalError',
];

/** Empty unless the next status is the first to show the failure. After a list, an alert reports that the service was unreachable. */
export function readyEvents(previous: Status | undefined, next: Status, isListed = false): EventDraft[] {
  const reason = failureOfPolicy(next);
  const isOfAlert = isListed && reason === 'ServiceUnreachable';
  if (reason === undefined || reason === failureOfPolicy(previous) || isOfAlert) return [];
  return [eventOf(reason, conditionOf(next, 'Ready')?.message ?? '')];
}

function failureOfPolicy(status: Status | undefined): PolicyReason | undefined {
  const ready = conditionOf(status, 'Ready')?.reason;
  const isShared = ready === 'ServiceUnreachable' && conditionOf(status, 'ConnectionReady')?.status === 'False';
  return isShared ? undefined : reportedReasons.find((reason) => reason === ready);
}

/**
 * At most one event for each reason: causes come first, then verified corrections, then other changes of state. `facts`: what the
 * messages of the policy name.
 */
export function alertEvents(
  previous: Status | undefined,
  next: Status,
  decisions: readonly AlertDecision[],
  corrections: readonly Correction[],
  facts: MessageFacts = {},
): EventDraft[] {
  const before = rowsByName(previous);
  const after = rowsByName(next);
  const common = { corrections, facts, changedTo: changedReason(previous, next), isFirst: !previous?.summary };
  const found = decisions.flatMap((decision) => {
    const key = canonicalName(decision.name);
    // Without a row in either status the same event would be emitted after every list.
    if (!before.has(key) && !after.has(key)) return [];
    const change = { decision, before: before.get(key), after: after.get(key), ...common };
    return transitions.flatMap((transition) => transition(change) ?? []);
  });
  const corrected = corrections.map((each) => correctionOf(each, before.get(canonicalName(each.alert))));
  return [
    ...joinFindings([...found.filter(isCause), ...corrected, ...found.filter((finding) => !isCause(finding))]),
    ...scanningEvent(previous, next),
  ];
}

/** Comes before the correction that follows from it, so that the last event of a policy shows how it is now. The recorder keeps the order. */
const isCause = ({ reason }: Finding) => reason === 'DeactivatedByOthers' || reason === 'IncidentsFound';

function rowsByName(status: Status | undefined): ReadonlyMap<string, AlertStatus> {
  return new Map(status?.alerts?.map((row) => [canonicalName(row.name), row]));
}

/**
 * The reason that InSync changed to while the result of its alerts stayed the same. A row has results only, so it does not show that a
 * dismissal is denied for another reason than before.
 */
function changedReason(previous: Status | undefined, next: Status): string | undefined {
  const [before = '', after = ''] = [previous, next].map((status) => conditionOf(status, 'InSync')?.reason);
  // It holds an activation; the other reasons of its result hold deactivations.
  if (before === after || before === 'CorrectionUndone') return undefined;
  const result = resultShownBy(before);
  return result !== undefined && result === resultShownBy(after) ? after : undefined;
}

/** What a reconcile knows of one alert. */
interface Change {
  readonly decision: AlertDecision;
  /** The rows of the alert in the previous and in the next status. */
  readonly before: AlertStatus | undefined;
  readonly after: AlertStatus | undefined;
  /** Of all alerts. */
  readonly corrections: readonly Correction[];
  readonly facts: MessageFacts;
  readonly changedTo: string | undefined;
  /** True for the first list of a policy. */
  readonly isFirst: boolean;
}

type Transition = (change: Change) => Finding | undefined;

/** Drift, with the class of actor that probably caused it; it agrees with `lastDrift` of the status. */
const drifted: Transition = ({ decision, before, after, facts }) => {
  const { name, result, reason, want, alert } = decision;
  const drift = isSameJson(before?.lastDrift, after?.lastDrift) ? undefined : after?.lastDrift;
  const actor = drift ? ` (inferred actor: ${drift.actorClass})` : '';
  const desired = `{its|their} desired state is ${want.state}.`;
  if (drift && isByOthers(drift, before)) {
    const sentence = `{Another client|Other clients} deactivated {alert|alerts} {alerts}${actor}; ${desired} Find out which {client|clients}, or declare {a dismissal|dismissals}.`;
    return { alert: name, reason: 'DeactivatedByOthers', sentence };
  }
  if (result !== 'Drifted' || isShown(decision, before)) return undefined;
  const live = alert?.isActive === true ? 'active' : 'inactive';
  const next = reason === 'ObserveOnly' ? ` ${fillIn(observed, facts)}` : '';
  const sentence = `{Alert|Alerts} {alerts} {is|are} ${live}${actor}; ${desired}${next}`;
  return { alert: name, reason: 'DriftDetected', sentence };
};

const observed = 'Drift is not corrected, because {observingCause}. To have drift corrected, {observingFix}.';

/**
 * True when a client other than this operator deactivated an alert that the policy already concerned. The first list of an alert does not show
 * whether it was ever active, and a correction reports its drift a second time.
 */
function isByOthers({ direction, actorClass }: LastDrift, before: AlertStatus | undefined): boolean {
  if (!before || direction !== 'Deactivated' || actorClass === 'Self') return false;
  return before.want !== 'Active' || before.live !== 'Inactive';
}

function isShown({ result, want }: AlertDecision, before: AlertStatus | undefined): boolean {
  return before?.result === result && before.want === want.state;
}

/**
 * A deactivation that no correction reports, because the operator restarted before a status showed it: the status has the alert as active
 * and no correction since the entry in the ledger.
 */
const deactivatedUnseen: Transition = ({ decision: { name, want, alert, dismissedSince }, before, corrections }) => {
  if (before?.live !== 'Active' || alert?.isActive !== false || want.state !== 'Inactive') return undefined;
  const isKnown = dismissedSince === undefined || Date.parse(dismissedSince) <= Date.parse(before.verifiedAt ?? '');
  if (isKnown || corrections.some((correction) => sameName(correction.alert, name))) return undefined;
  return { alert: name, reason: 'AlertDeactivated', action: 'Deactivate', sentence: dismissedSentence };
};

/** A correction that is denied, held, failed or left to another policy. A repeated activation is announced by its drift. */
const kept: Transition = ({ decision, before, changedTo, facts }) => {
  const { name: alert, result, reason, want, serviceCode, ownerKey } = decision;
  if (isShown(decision, before) && (reason === undefined || reason !== changedTo)) return undefined;
  if (result === 'Conflict') {
    const sentence = `Policy ${ownerKey} owns {alert|alerts} {alerts} and wants the opposite. Change one of the two policies.`;
    return { alert, reason: 'ScopeConflict', sentence };
  }
  const isKept = result === 'Denied' || result === 'Held' || result === 'Failed';
  if (!isKept || reason === undefined || reason === 'CorrectionUndone') return undefined;
  const action = want.state === 'Inactive' ? 'Deactivate' : 'Activate';
  return { ...ofCondition(alert, reason, { ...facts, serviceCode, ...windowFacts([decision]) }), action };
};

/** With the message of the condition that shows the same. */
function ofCondition(alert: string, reason: Reason, facts: MessageFacts): Finding {
  return { alert, reason, sentence: conditionMessage(reason, { ...facts, alerts: '{Alert|Alerts} {alerts}' }) };
}

/** The service does not list an alert that the policy declares, for the first time since it was declared so. */
const notListed: Transition = ({ decision: { name, alert, want }, before, after, facts }) => {
  if (alert || want.state === 'None') return undefined;
  if (before?.live === 'Missing' && before.want === want.state) return undefined;
  const since = after?.missingSince;
  const missing = since === undefined ? [] : [{ name: '{the alert|the alerts}', since }];
  return ofCondition(name, 'AlertNotFound', { ...facts, missing });
};

/**
 * A dismissal that is no longer in force although the operator activated nothing: another client was quicker, or the dismissal had
 * ended when it was declared. A verified correction reports the others.
 */
const dismissalEnded: Transition = ({
  decision: { name, want, alert, isDeactivatedByOperator },
  before,
  corrections,
}) => {
  const { source } = want;
  if (!isEnded(source) || alert?.isActive !== true) return undefined;
  if (corrections.some((correction) => correction.cause === source && sameName(correction.alert, name)))
    return undefined;
  // The status showed the end while the alert was still inactive, and another client activated it since.
  const isOvertaken = isDeactivatedByOperator === true && before?.live === 'Inactive';
  if (before?.dismissalEnded === source && !isOvertaken) return undefined;
  return { alert: name, reason: source, sentence: endedSentences[source]('{has|have} ended', 'active') };
};

/** Once for each end: the row has it from then on, so that a drift repeats no event. */
const dismissalEnding: Transition = ({ before, after }) => {
  const end = after?.dismissalEnding;
  if (end === undefined || end === before?.dismissalEnding) return undefined;
  const sentence =
    'The {dismissal|dismissals} of {alert|alerts} {alerts} {ends|end} soon; the operator then activates {the alert|them}. Extend `until` to keep {it|them} inactive.';
  return { alert: `${after?.name} (until ${end})`, reason: 'DismissalEnding', sentence };
};

/** New incidents of an alert, or the end of its last one. Incidents that a new policy finds are not new: its status and its metrics show them. */
const incidents: Transition = ({ decision, before, isFirst }) => {
  const { name, alert } = decision;
  if (!alert || isFirst || !isReported(decision)) return undefined;
  const { incidentCount, severity } = alert;
  const count = newIncidents(before, alert);
  if (count > 0) {
    const details = `${count} new, ${incidentCount} in all, severity ${severity ?? 'unknown'}`;
    const type = severityRank(severity) >= severityRank('Medium') ? 'Warning' : 'Normal';
    const sentence = 'New incidents on {alert|alerts} {alerts}. Handle them in the service.';
    return { alert: `${name} (${details})`, type, reason: 'IncidentsFound', sentence };
  }
  if (incidentCount > 0 || (before?.incidents.total ?? 0) === 0) return undefined;
  const sentence = '{Alert|Alerts} {alerts} {has|have} no incidents any more.';
  return { alert: name, reason: 'IncidentsResolved', sentence };
};

/**
 * True for an alert that is active or about to become so. A dismissal covers the incidents of the others, also while its
 * deactivation is under way.
 */
function isReported({ want, alert, result, reason }: AlertDecision): boolean {
  if (want.state !== 'Inactive') return want.state === 'Active';
  const isUnderWay = result === 'Pending' || (result === 'Drifted' && reason === undefined);
  return alert?.isActive === true && !isUnderWay;
}

/** How far the total rose, or how many ids the previous status lacks although it holds all, whichever is more. */
function newIncidents(before: AlertStatus | undefined, alert: Alert): number {
  const { total, ids = [] } = before?.incidents ?? { total: 0 };
  const risen = alert.incidentCount - total;
  if (ids.length < total) return risen;
  const known = new Set(ids.map(canonicalName));
  return Math.max(risen, alert.incidents.filter(({ id }) => !known.has(canonicalName(id))).length);
}

const transitions: readonly Transition[] = [
  drifted,
  deactivatedUnseen,
  kept,
  notListed,
  dismissalEnded,
  dismissalEnding,
  incidents,
];

function scanningEvent(previous: Status | undefined, next: Status): EventDraft[] {
  const coverage = conditionOf(next, 'Coverage');
  if (coverage?.status !== 'False' || conditionOf(previous, 'Coverage')?.status === 'False') return [];
  return [eventOf('ScanningDisabled', coverage.message)];
}

/** `kube-denied`: the permission is missing. `kube-invalid`: the schema of the cluster is older than the operator, or the object is too large. */
export type StatusRefusal = 'kube-denied' | 'kube-invalid';

/** The API server refuses the status of an object, which cannot say so itself. */
export function refusedStatusEvent(code: StatusRefusal): EventDraft {
  const cause =
    code === 'kube-denied'
      ? 'the permission is missing. Check the role of the operator.'
      : "it does not fit the schema or is too large. Apply the CRDs of the operator's version.";
  return eventOf('StatusNotWritten', `The status is out of date, because the API server refuses to store it: ${cause}`);
}

/** The events of corrections on one scope that no policy declares: one for each reason. */
export function correctionEvents(corrections: readonly Correction[], scope: string): EventDraft[] {
  return joinFindings(corrections.map((correction) => correctionOf(correction, undefined, scope)));
}

/** `before`: the row of the alert in the previous status. `scope`: for a correction that no policy declares. */
export function correctionOf(correction: Correction, before: AlertStatus | undefined, scope = ''): Finding {
  const { alert, isActive, cause, actor } = correction;
  if (!isActive) {
    const sentence = isDrift(correction, before)
      ? `{Alert|Alerts} {alerts} {was|were} active (inferred actor: ${actor}) although {it is|they are} dismissed; {it was|they were} deactivated, and a list verified {it|them}.`
      : dismissedSentence;
    return { alert, reason: 'AlertDeactivated', action: 'Deactivate', sentence };
  }
  switch (cause) {
    case 'DismissalExpired':
    case 'NewIncidents':
      return { alert, reason: cause, action: 'Activate', sentence: endedSentences[cause]('ended', 'active again') };
    case 'DeclarationGone': {
      const sentence = `No policy declares {a granted dismissal|granted dismissals} of {alert|alerts} {alerts} of scope ${scope} any more; the {alert is|alerts are} active again. Declare the {dismissal|dismissals} again if {it was|they were} to last; otherwise no action is needed.`;
      return { alert, reason: cause, action: 'Activate', sentence };
    }
    default: {
      const sentence = `{Alert|Alerts} {alerts} {was|were} inactive (inferred actor: ${actor}) although {its|their} desired state is Active; {it was|they were} activated, and a list verified {it|them}.`;
      return { alert, reason: 'DriftCorrected', action: 'Activate', sentence };
    }
  }
}

export const dismissedSentence =
  '{Alert|Alerts} {alerts} {was|were} deactivated under {its dismissal|their dismissals}; a list verified {it|them}.';

/** A dismissal that is no longer in force: how it ended, and what the alert is now. */
export const endedSentences: Readonly<Record<DismissalEnd, (ended: string, now: string) => string>> = {
  DismissalExpired: (ended, now) =>
    `The {dismissal|dismissals} of {alert|alerts} {alerts} ${ended}; the {alert is|alerts are} ${now}. Extend \`until\`, or declare {it|them} Active.`,
  NewIncidents: (_, now) =>
    `{Alert|Alerts} {alerts} {has|have} incidents beyond the {bound of its dismissal|bounds of their dismissals}; {it is|they are} ${now}. Handle the incidents, or extend the {dismissal|dismissals}.`,
};

type Entry = Pick<DismissalRecord, 'alert' | 'scope'>;

/** The events for dismissals that the ledger drops without proof, because the service no longer lists the alerts. */
export function droppedEvents(entries: readonly Entry[]): EventDraft[] {
  const findings = entries.map(({ alert, scope }): Finding => {
    const sentence = `The service has not listed {alert|alerts} {alerts} of scope ${scope} for a day; {its dismissal is|their dismissals are} no longer recorded. Declare the state Active in a policy, in case the service lists it again as inactive.`;
    return { alert, reason: 'DismissalDropped', sentence };
  });
  return joinFindings(findings);
}

/** The events for dismissals that go with the namespace of their connection. They name every alert. */
export function abandonedEvents(entries: readonly Entry[]): EventDraft[] {
  const findings = entries.map(({ alert, scope }): Finding => {
    const sentence = `{Alert|Alerts} {alerts} of scope ${scope} may stay inactive: the service did not show {it|them} active before the deletion of the namespace had to go on. Declare {it|them} Active in another namespace, or activate {it|them} in the service.`;
    return { alert, reason: 'DismissalsAbandoned', sentence };
  });
  return [...Map.groupBy(findings, ({ sentence }) => sentence).values()].flatMap(namingAll);
}
