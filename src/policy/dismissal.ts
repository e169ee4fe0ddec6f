// Whether a dismissal is complete, and whether it holds for the live alert at a given time. wants.ts decides whether it is
// granted.
import type { Alert } from '../alerts/types.ts';
import type { Dismissal } from './generated/role-alert-policy.ts';
import { namesEvery } from './named-incidents.ts';

export type DismissalState = 'Holds' | 'DismissalExpired' | 'NewIncidents';

/** `until` is exclusive. A missing alert has no incidents to cover. */
export function dismissalState(dismissal: Dismissal, alert: Alert | undefined, nowMs: number): DismissalState {
  const untilMs = dismissalEndMs(dismissal);
  if (untilMs !== undefined && nowMs >= untilMs) return 'DismissalExpired';
  if (alert && !coversIncidents(dismissal, alert)) return 'NewIncidents';
  return 'Holds';
}

/** Milliseconds since 1970; undefined without `until`. An invalid `until` counts as expired, which is the safe side. */
export function dismissalEndMs(dismissal: Dismissal): number | undefined {
  if (dismissal.until === undefined) return undefined;
  const untilMs = Date.parse(dismissal.until);
  return Number.isNaN(untilMs) ? 0 : untilMs;
}

/** False when the dismissal also covers future incidents. */
function namesIncidents({ incidents }: Dismissal): boolean {
  return incidents !== undefined && incidents.length > 0;
}

/** True when `limits.maxDismissal` of the connection bounds it, so that it needs an end. */
export function needsEnd(dismissal: Dismissal, limits: { readonly dismissalsNeedEnd?: boolean | undefined }): boolean {
  return limits.dismissalsNeedEnd === true || !namesIncidents(dismissal);
}

/**
 * Checks what the schema requires: a reason, an end unless incidents are named, and no maximum beside named incidents. Matters for
 * stored policies that an older schema accepted.
 */
export function isComplete(dismissal: Dismissal): boolean {
  const isBounded = namesIncidents(dismissal) ? dismissal.maxIncidents === undefined : dismissal.until !== undefined;
  return isBounded && sufficientReason.test(dismissal.reason);
}

/**
 * At least eight visible characters: letters, digits, punctuation and symbols. White space, control characters and combining marks do
 * not count. Reads a reason once and ends at the eighth.
 */
const sufficientReason = /^(?:[^\p{L}\p{N}\p{P}\p{S}]*[\p{L}\p{N}\p{P}\p{S}]){8}/u;

function coversIncidents(dismissal: Dismissal, alert: Alert): boolean {
  const { incidents, maxIncidents, until } = dismissal;
  if (maxIncidents !== undefined && alert.incidentCount > maxIncidents) return false;
  if (incidents === undefined) return maxIncidents !== undefined || until !== undefined;
  // The service listed fewer incidents than it counted, so the others may not be among the named ones.
  if (alert.incidents.length < alert.incidentCount) return false;
  return namesEvery(incidents, alert.incidents);
}
