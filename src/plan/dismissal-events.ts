// The events of dismissals that are no longer in force although the operator activated nothing: another client was quicker, or the dismissal had
// ended when it was declared. A verified correction reports the others.
import { sameName } from '../alerts/resource-id.ts';
import type { AlertStatus, DismissalEnd } from '../policy/generated/role-alert-policy.ts';
import { isEnded } from '../policy/wants.ts';
import type { AlertDecision } from './decisions.ts';
import type { Finding, Sentence } from './event-draft.ts';
import type { Correction } from './memory.ts';

/** `before` is the row of the previous status, whose `dismissalEnded` is the memory that keeps the event from repeating. */
export function dismissalFindings(
  before: AlertStatus | undefined,
  { name, want, alert, isOurs }: AlertDecision,
  corrections: readonly Correction[],
): Finding[] {
  const { source } = want;
  if (!isEnded(source) || alert?.isActive !== true) return [];
  if (corrections.some((correction) => correction.cause === source && sameName(correction.alert, name))) return [];
  // The status showed the end while the alert was still inactive, and another client activated it since.
  const isOvertaken = isOurs === true && before?.live === 'Inactive';
  if (before?.dismissalEnded === source && !isOvertaken) return [];
  const type = source === 'NewIncidents' ? 'Warning' : 'Normal';
  return [{ alert: name, type, reason: source, action: 'Reconcile', sentence: sentences[source] }];
}

const sentences: Readonly<Record<DismissalEnd, Sentence>> = {
  DismissalExpired: {
    one: 'The dismissal of alert {alerts} has ended; the alert is active. Extend `until`, or declare it Active.',
    many: 'The dismissals of alerts {alerts} have ended; the alerts are active. Extend `until`, or declare them Active.',
  },
  NewIncidents: {
    one: 'Alert {alerts} has incidents beyond the bound of its dismissal; it is active. Handle the incidents, or extend the dismissal.',
    many: 'Alerts {alerts} have incidents beyond the bounds of their dismissals; they are active. Handle the incidents, or extend the dismissals.',
  },
};
