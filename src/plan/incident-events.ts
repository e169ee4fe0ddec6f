// The events of incidents: new ones on an alert, and the end of its last one. What a status recorded is the memory, so that a restart
// repeats nothing. Ids, types and assignees of incidents stay out of the notes.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Alert } from '../alerts/types.ts';
import type { AlertStatus } from '../policy/generated/role-alert-policy.ts';
import { severityRank } from '../policy/severity.ts';
import type { AlertDecision } from './decisions.ts';
import type { Finding, Sentence } from './event-draft.ts';

const found: Sentence = {
  one: 'New incidents on alert {alerts}. Handle them in the service.',
  many: 'New incidents on alerts {alerts}. Handle them in the service.',
};
const resolved: Sentence = {
  one: 'Alert {alerts} has no incidents any more.',
  many: 'Alerts {alerts} have no incidents any more.',
};

/** `before` is the row of the previous status; without one all incidents of the alert are new. */
export function incidentFindings(before: AlertStatus | undefined, decision: AlertDecision): Finding[] {
  const { name, alert } = decision;
  if (!alert || !isReported(decision)) return [];
  const count = newIncidents(before, alert);
  if (count > 0) return [foundOn(alert, name, count)];
  const isResolved = alert.incidentCount === 0 && (before?.incidents.total ?? 0) > 0;
  return isResolved
    ? [{ alert: name, type: 'Normal', reason: 'IncidentsResolved', action: 'Reconcile', sentence: resolved }]
    : [];
}

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

function foundOn({ incidentCount, severity }: Alert, name: string, count: number): Finding {
  const details = `${count} new, ${incidentCount} in all, severity ${severity ?? 'unknown'}`;
  const type = severityRank(severity) >= severityRank('Medium') ? 'Warning' : 'Normal';
  return { alert: `${name} (${details})`, type, reason: 'IncidentsFound', action: 'Reconcile', sentence: found };
}
