// The events of drift, with the class of actor that probably caused it. They agree with `lastDrift` of the status that they follow.
import { sameName } from '../alerts/resource-id.ts';
import type { AlertStatus, DriftActor, LastDrift } from '../policy/generated/role-alert-policy.ts';
import type { AlertDecision } from './decisions.ts';
import { isDrift } from './drift.ts';
import type { Finding, Sentence } from './event-draft.ts';
import type { Correction } from './memory.ts';
import { fillIn, type MessageFacts } from './message-facts.ts';

/** What the operator found; `before` and `after` are the rows of the alert in the previous and the next status. */
export function driftFindings(
  before: AlertStatus | undefined,
  after: AlertStatus | undefined,
  decision: AlertDecision,
  facts: MessageFacts,
): Finding[] {
  const { name: alert, result, want } = decision;
  const drift = newDrift(before, after);
  if (drift && isByOthers(drift, before)) return [deactivatedByOthers(alert, want.state, drift.actorClass)];
  const isTransition = before?.result !== result || before.want !== want.state;
  if (result !== 'Drifted' || !isTransition) return [];
  return [
    { alert, type: 'Normal', reason: 'DriftDetected', action: 'Reconcile', sentence: drifted(decision, drift, facts) },
  ];
}

/** The drift that the next status is the first to report. */
function newDrift(before: AlertStatus | undefined, after: AlertStatus | undefined): LastDrift | undefined {
  const known = before?.lastDrift;
  const drift = after?.lastDrift;
  const isKnown = known?.at === drift?.at && known?.actorClass === drift?.actorClass;
  return isKnown && known?.direction === drift?.direction ? undefined : drift;
}

/**
 * True when a client other than this operator deactivated an alert that the policy already concerned. The first list of an alert does not show
 * whether it was ever active, and a correction reports its drift a second time.
 */
function isByOthers({ direction, actorClass }: LastDrift, before: AlertStatus | undefined): boolean {
  if (!before || direction !== 'Deactivated' || actorClass === 'Self') return false;
  return before.want !== 'Active' || before.live !== 'Inactive';
}

function deactivatedByOthers(alert: string, want: string, actor: DriftActor): Finding {
  const sentence = {
    one: `Another client deactivated alert {alerts} (${inferred(actor)}); its desired state is ${want}. Find out which client, or declare a dismissal.`,
    many: `Other clients deactivated alerts {alerts} (${inferred(actor)}); their desired state is ${want}. Find out which clients, or declare dismissals.`,
  };
  return { alert, type: 'Warning', reason: 'DeactivatedByOthers', action: 'Reconcile', sentence };
}

function drifted({ want, alert, reason }: AlertDecision, drift: LastDrift | undefined, facts: MessageFacts): Sentence {
  const live = alert?.isActive === true ? 'active' : 'inactive';
  const actor = drift ? ` (${inferred(drift.actorClass)})` : '';
  const next = reason === 'ObserveOnly' ? ` ${fillIn(observed, facts)}` : '';
  return {
    one: `Alert {alerts} is ${live}${actor}; its desired state is ${want.state}.${next}`,
    many: `Alerts {alerts} are ${live}${actor}; their desired state is ${want.state}.${next}`,
  };
}

const observed = 'Drift is not corrected, because {observingCause}. To have drift corrected, {observingFix}.';

/** The sentence of a verified activation. */
export function correctedSentence(actor: DriftActor): Sentence {
  const found = `inactive (${inferred(actor)})`;
  return {
    one: `Alert {alerts} was ${found} although its desired state is Active; it was activated, and a list verified it.`,
    many: `Alerts {alerts} were ${found} although their desired state is Active; they were activated, and a list verified them.`,
  };
}

/** The sentence of a verified deactivation: the first one of a dismissal, or one that another client had reverted. */
export function deactivatedSentence(correction: Correction, before: AlertStatus | undefined): Sentence {
  if (!isDrift(correction, before)) return dismissed;
  const found = `active (${inferred(correction.actor)})`;
  return {
    one: `Alert {alerts} was ${found} although it is dismissed; it was deactivated, and a list verified it.`,
    many: `Alerts {alerts} were ${found} although they are dismissed; they were deactivated, and a list verified them.`,
  };
}

/**
 * A deactivation that no correction reports, because the operator restarted before a status showed it: the status has the alert as active
 * and no correction since the entry in the ledger.
 */
export function unreportedDeactivation(
  before: AlertStatus | undefined,
  { name, want, alert, dismissedSince }: AlertDecision,
  corrections: readonly Correction[],
): Finding[] {
  if (before?.live !== 'Active' || alert?.isActive !== false || want.state !== 'Inactive') return [];
  const isShown = dismissedSince === undefined || Date.parse(dismissedSince) <= Date.parse(before.verifiedAt ?? '');
  if (isShown || corrections.some((correction) => sameName(correction.alert, name))) return [];
  return [{ alert: name, type: 'Warning', reason: 'AlertDeactivated', action: 'Deactivate', sentence: dismissed }];
}

const dismissed: Sentence = {
  one: 'Alert {alerts} was deactivated under its dismissal; a list verified it.',
  many: 'Alerts {alerts} were deactivated under their dismissals; a list verified them.',
};

function inferred(actor: DriftActor): string {
  return `inferred actor: ${actor}`;
}
