// Whether a dismissal is complete, and whether it holds at a moment for what is live now. Whether it is granted is not asked here
// (wants.ts).
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

/** False when it covers future incidents too: then it needs an end, and how far ahead that may be is limited. */
export function namesIncidents({ incidents }: Dismissal): boolean {
  return incidents !== undefined && incidents.length > 0;
}

/**
 * As the schema requires it: a reason, an end unless the incidents are named, and a maximum only beside an end. Stored policies
 * that an older schema took are asked here.
 */
export function isComplete(dismissal: Dismissal): boolean {
  const isBounded = namesIncidents(dismissal) ? dismissal.maxIncidents === undefined : dismissal.until !== undefined;
  return isBounded && visibleCharacters(dismissal.reason) >= leastReason;
}

/** Characters that a reason needs at least. */
const leastReason = 8;
/** Letters, digits, punctuation and symbols: blanks of every kind, controls and bare marks do not count. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/gu;

function visibleCharacters(text: string): number {
  return text.match(visible)?.length ?? 0;
}

function coversIncidents(dismissal: Dismissal, alert: Alert): boolean {
  const { incidents, maxIncidents, until } = dismissal;
  if (maxIncidents !== undefined && alert.incidentCount > maxIncidents) return false;
  if (incidents === undefined) return maxIncidents !== undefined || until !== undefined;
  // Fewer incidents shown than counted: it is not proven that each is one of the named ones.
  if (alert.incidents.length < alert.incidentCount) return false;
  const covered = new Set(incidents.map(canonicalName));
  return alert.incidents.every((incident) => covered.has(canonicalName(incident.id)));
}
