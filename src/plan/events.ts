// The events of a status transition: verified corrections, and what changed between two statuses. An unchanged status emits no
// event. A transition that a condition shows has the reason of that condition. Notes name alerts and no people.
import { canonicalName } from '../alerts/resource-id.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { changedReason } from './changed-reason.ts';
import { conditionOf } from './conditions.ts';
import type { AlertDecision } from './decisions.ts';
import { endingFindings } from './dismissal-ending.ts';
import { dismissalFindings } from './dismissal-events.ts';
import { correctedSentence, deactivatedSentence, driftFindings, unreportedDeactivation } from './drift-events.ts';
import { type EventDraft, type Finding, joinFindings, namingAll, type Sentence } from './event-draft.ts';
import { incidentFindings } from './incident-events.ts';
import type { Correction } from './memory.ts';
import type { MessageFacts } from './message-facts.ts';
import { conditionMessage, type Reason } from './reasons.ts';
import { windowFacts } from './windows.ts';

/**
 * At most one event for each reason: causes come first, then verified corrections, then other changes of state. `facts`: what the
 * messages of the policy name.
 */
export function policyEvents(
  previous: RoleAlertPolicyStatus | undefined,
  next: RoleAlertPolicyStatus,
  decisions: readonly AlertDecision[],
  corrections: readonly Correction[],
  facts: MessageFacts = {},
): EventDraft[] {
  const before = rowsByName(previous);
  const after = rowsByName(next);
  // Incidents that a new policy finds are not new: its status and its metrics show them.
  const isFirstList = previous?.summary === undefined;
  const changedTo = changedReason(previous, next);
  const transitions = decisions.flatMap((decision) => {
    const key = canonicalName(decision.name);
    // Without a row in either status the same event would be emitted after every list.
    if (!before.has(key) && !after.has(key)) return [];
    const last = before.get(key);
    const row = after.get(key);
    return [
      ...driftFindings(last, row, decision, facts),
      ...unreportedDeactivation(last, decision, corrections),
      ...transitionOf(last, decision, changedTo, facts),
      ...notListed(last, decision, facts),
      ...dismissalFindings(last, decision, corrections),
      ...endingFindings(last, row),
      ...(isFirstList ? [] : incidentFindings(last, decision)),
    ];
  });
  const corrected = correctionFindings(corrections, before);
  return [
    ...joinFindings([
      ...transitions.filter(isCause),
      ...corrected,
      ...transitions.filter((finding) => !isCause(finding)),
    ]),
    ...scanningEvent(previous, next),
  ];
}

/** Comes before the correction that follows from it, so that the last event of a policy shows how it is now. The recorder keeps the order. */
const isCause = ({ reason }: Finding) => reason === 'DeactivatedByOthers' || reason === 'IncidentsFound';

function rowsByName(status: RoleAlertPolicyStatus | undefined): ReadonlyMap<string, AlertStatus> {
  return new Map(status?.alerts?.map((row) => [canonicalName(row.name), row]));
}

/** The events of corrections on one scope that no policy declares: one for each reason. */
export function correctionEvents(corrections: readonly Correction[], scope: string): EventDraft[] {
  return joinFindings(correctionFindings(corrections, new Map(), scope));
}

/** `before`: the rows of the previous status by `canonicalName`. */
function correctionFindings(
  corrections: readonly Correction[],
  before: ReadonlyMap<string, AlertStatus>,
  scope = '',
): readonly Finding[] {
  return corrections.map((correction) => findingOf(correction, before.get(canonicalName(correction.alert)), scope));
}

function findingOf(correction: Correction, before: AlertStatus | undefined, scope: string): Finding {
  const { alert, isActive, cause, actor } = correction;
  if (!isActive) {
    const sentence = deactivatedSentence(correction, before);
    return { alert, type: 'Warning', reason: 'AlertDeactivated', action: 'Deactivate', sentence };
  }
  const activate = { alert, action: 'Activate' } as const;
  switch (cause) {
    case 'DismissalExpired':
      return { ...activate, type: 'Normal', reason: cause, sentence: expired };
    case 'NewIncidents':
      return { ...activate, type: 'Warning', reason: cause, sentence: outgrown };
    case 'DeclarationGone':
      return { ...activate, type: 'Normal', reason: cause, sentence: declarationGone(scope) };
    default:
      return { ...activate, type: 'Normal', reason: 'DriftCorrected', sentence: correctedSentence(actor) };
  }
}

const expired: Sentence = {
  one: 'The dismissal of alert {alerts} ended; the alert is active again. Extend `until`, or declare it Active.',
  many: 'The dismissals of alerts {alerts} ended; the alerts are active again. Extend `until`, or declare them Active.',
};
const outgrown: Sentence = {
  one: 'Alert {alerts} has incidents beyond the bound of its dismissal; it is active again. Handle the incidents, or extend the dismissal.',
  many: 'Alerts {alerts} have incidents beyond the bounds of their dismissals; they are active again. Handle the incidents, or extend the dismissals.',
};
function declarationGone(scope: string): Sentence {
  return {
    one: `No policy declares a granted dismissal of alert {alerts} of scope ${scope} any more; the alert is active again.`,
    many: `No policy declares granted dismissals of alerts {alerts} of scope ${scope} any more; the alerts are active again.`,
  };
}

const declare = 'Declare the state Active in a policy, in case the service lists it again as inactive.';

/** The events for dismissals that the ledger drops without proof, because the service no longer lists the alerts. */
export function droppedEvents(entries: readonly Pick<DismissalRecord, 'alert' | 'scope'>[]): EventDraft[] {
  return joinFindings(
    entries.map(({ alert, scope }) => ({
      alert,
      type: 'Warning',
      reason: 'DismissalDropped',
      action: 'Reconcile',
      sentence: {
        one: `The service has not listed alert {alerts} of scope ${scope} for a day; its dismissal is no longer recorded. ${declare}`,
        many: `The service has not listed alerts {alerts} of scope ${scope} for a day; their dismissals are no longer recorded. ${declare}`,
      },
    })),
  );
}

const abandoned = 'the service did not show it active before the deletion of the namespace had to go on.';
const manyAbandoned = 'the service did not show them active before the deletion of the namespace had to go on.';

/** The events for dismissals that go with the namespace of their connection. They name every alert. */
export function abandonedEvents(entries: readonly Pick<DismissalRecord, 'alert' | 'scope'>[]): EventDraft[] {
  const findings = entries.map(({ alert, scope }) => ({
    alert,
    scope,
    type: 'Warning' as const,
    reason: 'DismissalsAbandoned' as const,
    action: 'Reconcile' as const,
    sentence: {
      one: `Alert {alerts} of scope ${scope} may stay inactive: ${abandoned} Declare it Active in another namespace, or activate it in the service.`,
      many: `Alerts {alerts} of scope ${scope} may stay inactive: ${manyAbandoned} Declare them Active in another namespace, or activate them in the service.`,
    },
  }));
  return [...Map.groupBy(findings, ({ scope }) => scope).values()].flatMap(namingAll);
}

/** `changedTo`: see `changedReason`. */
function transitionOf(
  before: AlertStatus | undefined,
  decision: AlertDecision,
  changedTo: string | undefined,
  facts: MessageFacts,
): Finding[] {
  const { name: alert, result, reason, want, serviceCode } = decision;
  const isSameReason = reason === undefined || reason !== changedTo;
  if (before?.result === result && before.want === want.state && isSameReason) return [];
  const action = want.state === 'Inactive' ? 'Deactivate' : 'Activate';
  const finding = { alert, action, facts: { ...facts, serviceCode, ...windowFacts([decision]) } } as const;
  switch (result) {
    case 'Denied':
      return [ofCondition(reason ?? 'DeactivationDenied', finding)];
    case 'Conflict': {
      const sentence = conflictWith(decision.ownerKey ?? '');
      return [{ alert, type: 'Warning', reason: 'ScopeConflict', action: 'Reconcile', sentence }];
    }
    case 'Held':
      return heldEvent(reason, finding);
    case 'Failed':
      return [ofCondition(reason ?? 'CorrectionFailed', finding)];
    default:
      return [];
  }
}

/** A deactivation that only waits for its windows is expected, and other waits of a deactivation need attention. */
function heldEvent(reason: AlertDecision['reason'], finding: Pick<Finding, 'alert' | 'action'> & WithFacts): Finding[] {
  switch (reason) {
    case 'WaitingForWindow':
      return [{ ...ofCondition(reason, finding), type: 'Normal' }];
    case 'Flapping':
    case 'DeactivationLimited':
    case 'NoWindowAhead':
    case 'WindowInvalid':
      return [ofCondition(reason, finding)];
    default:
      return [];
  }
}

/** A warning with the message of the condition that shows the same. */
function ofCondition(reason: Reason, { facts, ...finding }: Pick<Finding, 'alert' | 'action'> & WithFacts): Finding {
  const message = (alerts: string) => conditionMessage(reason, { ...facts, alerts });
  return {
    ...finding,
    type: 'Warning',
    reason,
    sentence: { one: message('Alert {alerts}'), many: message('Alerts {alerts}') },
  };
}

interface WithFacts {
  readonly facts: MessageFacts;
}

function conflictWith(owner: string): Sentence {
  return {
    one: `Policy ${owner} owns alert {alerts} and wants the opposite. Change one of the two policies.`,
    many: `Policy ${owner} owns alerts {alerts} and wants the opposite. Change one of the two policies.`,
  };
}

/** The service does not list an alert that the policy declares, for the first time since it was declared so. */
function notListed(
  before: AlertStatus | undefined,
  { name, alert, want }: AlertDecision,
  facts: MessageFacts,
): Finding[] {
  if (alert || want.state === 'None') return [];
  if (before?.live === 'Missing' && before.want === want.state) return [];
  return [ofCondition('AlertNotFound', { alert: name, action: 'Reconcile', facts })];
}

function scanningEvent(previous: RoleAlertPolicyStatus | undefined, next: RoleAlertPolicyStatus): EventDraft[] {
  const coverage = conditionOf(next, 'Coverage');
  if (coverage?.status !== 'False' || conditionOf(previous, 'Coverage')?.status === 'False') return [];
  return [{ type: 'Warning', reason: 'ScanningDisabled', action: 'Reconcile', note: coverage.message }];
}
