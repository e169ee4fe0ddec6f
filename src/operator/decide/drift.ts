// The last drift of an alert in a status: when the operator found it, its direction, and the class of actor that
// probably caused it, inferred from the timestamps of the alert (specification 2.2, 2.7); never a person. It changes when a new drift is
// found, not while a drift lasts.
import type { Alert } from '../../alerts/types.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { AlertStatus, DriftActor, LastDrift } from '../../policy/generated/role-alert-policy.ts';
import { isEnded, type Want } from '../../policy/wants.ts';
import type { AlertDecision } from './decisions.ts';
import type { Correction } from './writes.ts';

export function nextDrift(
  decision: AlertDecision,
  before: AlertStatus | undefined,
  corrections: readonly Correction[],
  nowMs: number,
): LastDrift | undefined {
  const corrected = corrections.findLast((correction) => isDrift(correction, before));
  if (corrected) return driftOf(!corrected.isActive, corrected.actor, corrected.seenAtMs);
  const { alert, want } = decision;
  const isDrifted = alert !== undefined && alert.isActive !== (want.state === 'Active');
  if (!isDrifted || isKnown(decision, before)) return before?.lastDrift;
  if (want.state === 'Inactive' && !isHeldInactive(decision, before)) return before?.lastDrift;
  if (isEndOfDismissal(want, decision.isDeactivatedByOperator, before)) return before?.lastDrift;
  return driftOf(alert.isActive, attributeDrift(alert, false), nowMs);
}

/**
 * False when the alert is declared to become active or inactive, which is no drift: its first deactivation is due, the dismissal is not
 * granted, or another policy owns the alert.
 */
function isHeldInactive({ want, result }: AlertDecision, before: AlertStatus | undefined): boolean {
  return wasInactiveAsDeclared(before) && want.denial === undefined && result !== 'Conflict';
}

function wasInactiveAsDeclared(before: AlertStatus | undefined): boolean {
  return before?.want === 'Inactive' && before.live === 'Inactive';
}

/**
 * True when the alert is inactive because of a dismissal of this operator that has ended. That is no drift. After a
 * list has shown the alert active again, a deactivation comes from another client.
 */
export function isEndOfDismissal(
  want: Want,
  isDeactivatedByOperator: boolean | undefined,
  before: AlertStatus | undefined,
): boolean {
  return isEnded(want.source) && isStillByOperator(isDeactivatedByOperator, before);
}

/**
 * False once a list has shown the alert active again: its entry may still be in the ledger, but another client caused
 * any later deactivation.
 */
export function isStillByOperator(
  isDeactivatedByOperator: boolean | undefined,
  before: AlertStatus | undefined,
): boolean {
  const wasActiveSince = before?.want === 'Active' && before.live === 'Active';
  return isDeactivatedByOperator === true && !wasActiveSince;
}

/** True when the correction reverted another actor's change; false when it began or ended a dismissal. */
export function isDrift({ isActive, cause }: Correction, before: AlertStatus | undefined): boolean {
  if (isActive) return cause === 'Declared' || cause === 'Unlisted';
  return wasInactiveAsDeclared(before);
}

/** True when the previous status already showed this drift. */
function isKnown({ alert, want }: AlertDecision, before: AlertStatus | undefined): boolean {
  const live = alert?.isActive === true ? 'Active' : 'Inactive';
  return before !== undefined && before.want === want.state && before.live === live;
}

function driftOf(isActive: boolean, actorClass: DriftActor, nowMs: number): LastDrift {
  return { at: formatTimestamp(nowMs), actorClass, direction: isActive ? 'Activated' : 'Deactivated' };
}

/** `isDeactivatedByOperator`: the connection's ledger records that this operator deactivated the alert. */
export function attributeDrift(alert: Alert, isDeactivatedByOperator: boolean): DriftActor {
  if (isDeactivatedByOperator && !alert.isActive) return 'Self';
  return isScan(alert) ? 'Scan' : alert.lastActor;
}

/** A scan writes both timestamps within this time. */
const scanMomentMs = 2000;

function isScan({ modifiedAtMs, scannedAtMs, systemModifiedAtMs }: Alert): boolean {
  if (modifiedAtMs === undefined || scannedAtMs === undefined) return false;
  if (Math.abs(modifiedAtMs - scannedAtMs) > scanMomentMs) return false;
  return systemModifiedAtMs === undefined || systemModifiedAtMs <= modifiedAtMs;
}
