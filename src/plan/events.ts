// The events of a status transition: verified corrections, and what changed between two statuses. An unchanged status emits no
// event. A transition that a condition shows has the reason of that condition. Notes name alerts and no people.
import { canonicalName } from '../alerts/resource-id.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { conditionOf } from './conditions.ts';
import type { AlertDecision } from './decisions.ts';
import { dismissalFindings } from './dismissal-events.ts';
import { correctedSentence, deactivatedSentence, driftFindings } from './drift-events.ts';
import { type EventDraft, type Finding, joinFindings, type Sentence } from './event-draft.ts';
import { incidentFindings } from './incident-events.ts';
import type { Correction } from './memory.ts';
import { conditionMessage, type Reason } from './reasons.ts';

/** At most one event for each reason: causes come first, then verified corrections, then other changes of state. */
export function policyEvents(
  previous: RoleAlertPolicyStatus | undefined,
  next: RoleAlertPolicyStatus,
  decisions: readonly AlertDecision[],
  corrections: readonly Correction[],
): EventDraft[] {
  const before = rowsByName(previous);
  const after = rowsByName(next);
  // Incidents that a new policy finds are not new: its status and its metrics show them.
  const isFirstList = previous?.alerts === undefined;
  const transitions = decisions.flatMap((decision) => {
    const key = canonicalName(decision.name);
    // Without a row in either status the same event would be emitted after every list.
    if (!before.has(key) && !after.has(key)) return [];
    const [last, row] = [before.get(key), after.get(key)];
    return [
      ...driftFindings(last, row, decision),
      ...transitionOf(last, decision),
      ...notListed(last, decision),
      ...dismissalFindings(last, decision, corrections),
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

/** One event for each reason. */
export function correctionEvents(corrections: readonly Correction[]): EventDraft[] {
  return joinFindings(correctionFindings(corrections, new Map()));
}

/** `before`: the rows of the previous status by `canonicalName`. */
function correctionFindings(
  corrections: readonly Correction[],
  before: ReadonlyMap<string, AlertStatus>,
): readonly Finding[] {
  return corrections.map((correction) => findingOf(correction, before.get(canonicalName(correction.alert))));
}

function findingOf(correction: Correction, before: AlertStatus | undefined): Finding {
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
      return { ...activate, type: 'Normal', reason: cause, sentence: declarationGone };
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
const declarationGone: Sentence = {
  one: 'No policy declares a granted dismissal of alert {alerts} any more; the alert is active again.',
  many: 'No policy declares granted dismissals of alerts {alerts} any more; the alerts are active again.',
};

/** The events for dismissals that the ledger drops without proof, because the service no longer lists the alerts. */
export function droppedEvents(entries: readonly Pick<DismissalRecord, 'alert' | 'scope'>[]): EventDraft[] {
  return joinFindings(
    entries.map(({ alert, scope }) => ({
      alert,
      type: 'Warning',
      reason: 'DismissalDropped',
      action: 'Reconcile',
      sentence: {
        one: `The service has not listed alert {alerts} of ${scope} for a day; its dismissal is no longer recorded.`,
        many: `The service has not listed alerts {alerts} of ${scope} for a day; their dismissals are no longer recorded.`,
      },
    })),
  );
}

function transitionOf(before: AlertStatus | undefined, decision: AlertDecision): Finding[] {
  const { name, result, reason, want } = decision;
  if (before?.result === result && before.want === want.state) return [];
  const action = want.state === 'Inactive' ? 'Deactivate' : 'Activate';
  switch (result) {
    case 'Denied':
      return [denied(name, reason ?? 'DeactivationDenied', action)];
    case 'Conflict': {
      const owner = decision.ownerKey ?? '';
      const sentence = {
        one: `Policy ${owner} owns alert {alerts} and wants the opposite. Change one of the two policies.`,
        many: `Policy ${owner} owns alerts {alerts} and wants the opposite. Change one of the two policies.`,
      };
      return [{ alert: name, type: 'Warning', reason: 'ScopeConflict', action: 'Reconcile', sentence }];
    }
    case 'Held':
      return reason === 'Flapping' || reason === 'DeactivationLimited' ? [denied(name, reason, action)] : [];
    case 'Failed':
      return [failed(decision, action)];
    default:
      return [];
  }
}

/** The service does not list an alert that the policy declares, for the first time since it was declared so. */
function notListed(before: AlertStatus | undefined, { name, alert, want }: AlertDecision): Finding[] {
  if (alert || want.state === 'None') return [];
  if (before?.live === 'Missing' && before.want === want.state) return [];
  return [{ alert: name, type: 'Warning', reason: 'AlertNotFound', action: 'Reconcile', sentence: missing }];
}

const missing: Sentence = {
  one: 'The service does not list alert {alerts} for this scope. Check the name.',
  many: 'The service does not list alerts {alerts} for this scope. Check the names.',
};

function denied(alert: string, reason: Reason, action: EventDraft['action']): Finding {
  const sentence = {
    one: `Alert {alerts} is not deactivated. ${conditionMessage(reason)}`,
    many: `Alerts {alerts} are not deactivated. ${conditionMessage(reason)}`,
  };
  return { alert, type: 'Warning', reason, action, sentence };
}

const notVerified: Sentence = {
  one: "The correction of alert {alerts} was accepted but not verified. Ask the service's owner why it has no effect.",
  many: "The corrections of alerts {alerts} were accepted but not verified. Ask the service's owner why they have no effect.",
};
const unreachable: Sentence = {
  one: 'The correction of alert {alerts} failed, because the service cannot be reached. Check network, DNS and the service.',
  many: 'The corrections of alerts {alerts} failed, because the service cannot be reached. Check network, DNS and the service.',
};

function failed(decision: AlertDecision, action: 'Activate' | 'Deactivate'): Finding {
  const { name, reason = 'CorrectionFailed', serviceCode } = decision;
  return { alert: name, type: 'Warning', reason, action, sentence: failureSentence(reason, serviceCode) };
}

function failureSentence(reason: AlertDecision['reason'], serviceCode: string | undefined): Sentence {
  if (reason === 'WriteNotVerified') return notVerified;
  if (reason === 'ServiceUnreachable') return unreachable;
  const code = serviceCode === undefined ? '' : ` (${serviceCode})`;
  const next = 'Grant the identity of the connection the right to update alerts.';
  return {
    one: `The service refused the correction of alert {alerts}${code}. ${next}`,
    many: `The service refused the corrections of alerts {alerts}${code}. ${next}`,
  };
}

function scanningEvent(previous: RoleAlertPolicyStatus | undefined, next: RoleAlertPolicyStatus): EventDraft[] {
  const coverage = conditionOf(next, 'Coverage');
  if (coverage?.status !== 'False' || conditionOf(previous, 'Coverage')?.status === 'False') return [];
  return [{ type: 'Warning', reason: 'ScanningDisabled', action: 'Reconcile', note: coverage.message }];
}
