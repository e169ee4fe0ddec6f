// What a status remembers of the last drift of an alert: when it was found, in which direction, and who probably did it. It changes only
// when a drift is found, never while it lasts.
import { formatTimestamp } from '../lib/timestamp.ts';
import type { AlertStatus, DriftActor, LastDrift } from '../policy/generated/role-alert-policy.ts';
import type { Want } from '../policy/wants.ts';
import { attributeDrift } from './attribution.ts';
import type { Correction } from './memory.ts';
import type { AlertDecision } from './types.ts';

export function nextDrift(
  decision: AlertDecision,
  before: AlertStatus | undefined,
  corrections: readonly Correction[],
  nowMs: number,
): LastDrift | undefined {
  const corrected = corrections.findLast((correction) => isDrift(correction, before));
  if (corrected) return driftOf(!corrected.isActive, corrected.actor, corrected.seenAtMs);
  const { alert, want } = decision;
  const isDrifted = alert !== undefined && want.state !== 'None' && alert.isActive !== (want.state === 'Active');
  if (!isDrifted || isKnown(decision, before)) return before?.lastDrift;
  // The first deactivation of a dismissal is what is declared, not what somebody did; the same goes for its end.
  if (want.state === 'Inactive' && before?.live !== 'Inactive') return before?.lastDrift;
  if (isEndOfDismissal(want, decision.isOurs, before)) return before?.lastDrift;
  return driftOf(alert.isActive, isUndoneByUs(decision) ? 'Self' : attributeDrift(alert, false), nowMs);
}

/** What this operator had deactivated, it activates when the grant is withdrawn or another policy that wants it active owns it. */
function isUndoneByUs({ alert, isOurs, want, result }: AlertDecision): boolean {
  return isOurs === true && alert?.isActive === true && (want.denial !== undefined || result === 'Conflict');
}

/**
 * True when the alert is inactive because this operator dismissed it, and the dismissal has ended since. That is no drift, and it is
 * told once: a deactivation after the alert was seen active again comes from others.
 */
export function isEndOfDismissal(want: Want, isOurs: boolean | undefined, before: AlertStatus | undefined): boolean {
  const hasEnded = want.source === 'DismissalExpired' || want.source === 'NewIncidents';
  return hasEnded && isStillOurs(isOurs, before);
}

/** An entry of the ledger outlasts the activation by two minutes and a list: what is deactivated after that was seen comes from others. */
export function isStillOurs(isOurs: boolean | undefined, before: AlertStatus | undefined): boolean {
  const wasActiveSince = before?.want === 'Active' && before.live === 'Active';
  return isOurs === true && !wasActiveSince;
}

/** Somebody turned it the other way: not the end or the beginning of a dismissal. */
function isDrift({ isActive, cause }: Correction, before: AlertStatus | undefined): boolean {
  if (isActive) return cause === 'Declared' || cause === 'Unlisted';
  return before?.want === 'Inactive' && before.live === 'Inactive';
}

/** It was other than wanted before, too. */
function isKnown({ alert, want }: AlertDecision, before: AlertStatus | undefined): boolean {
  const live = alert?.isActive === true ? 'Active' : 'Inactive';
  return before !== undefined && before.want === want.state && before.live === live;
}

function driftOf(isActive: boolean, actorClass: DriftActor, nowMs: number): LastDrift {
  return { at: formatTimestamp(nowMs), actorClass, direction: isActive ? 'Activated' : 'Deactivated' };
}
