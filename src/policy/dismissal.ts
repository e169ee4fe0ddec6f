// Whether a dismissal holds at a moment for what is live now. Whether it is granted is not asked here (wants.ts).
import { canonicalName } from '../alerts/resource-id.ts';
import type { Alert } from '../alerts/types.ts';
import type { Dismissal } from './generated/role-alert-policy.ts';

export type DismissalState = 'Holds' | 'DismissalExpired' | 'NewIncidents';

/** `until` is exclusive. An alert that is not listed has no incidents to cover. */
export function dismissalState(dismissal: Dismissal, alert: Alert | undefined, nowMs: number): DismissalState {
  const untilMs = dismissalEndMs(dismissal);
  if (untilMs !== undefined && nowMs >= untilMs) return 'DismissalExpired';
  if (alert && !coversIncidents(dismissal, alert)) return 'NewIncidents';
  return 'Holds';
}

/** Milliseconds since 1970; undefined without `until`. An unreadable `until` is long past: the safe side. */
export function dismissalEndMs(dismissal: Dismissal): number | undefined {
  if (dismissal.until === undefined) return undefined;
  const untilMs = Date.parse(dismissal.until);
  return Number.isNaN(untilMs) ? 0 : untilMs;
}

/** True when only time bounds it: then it covers every incident, and how far ahead it may reach is limited. */
export function isBoundByTimeAlone(dismissal: Dismissal): boolean {
  return dismissal.incidents === undefined && dismissal.maxIncidents === undefined;
}

function coversIncidents(dismissal: Dismissal, alert: Alert): boolean {
  if (dismissal.maxIncidents !== undefined) return alert.incidentCount <= dismissal.maxIncidents;
  if (dismissal.incidents === undefined) return dismissal.until !== undefined;
  // Fewer incidents shown than counted: it is not proven that each is one of the named ones.
  if (alert.incidents.length < alert.incidentCount) return false;
  const covered = new Set(dismissal.incidents.map(canonicalName));
  return alert.incidents.every((incident) => covered.has(canonicalName(incident.id)));
}
