// Who probably changed an alert: a class of actor, inferred from the alert's own times (specification 2.2, 2.7). Never an identity, and
// never more than a guess.
import type { Alert } from '../alerts/types.ts';
import type { DriftActor } from '../policy/generated/role-alert-policy.ts';

/** A scan writes both of its times within such a moment. */
const scanMomentMs = 2000;

/** `isOurs`: the connection's ledger says that this operator turned it off. */
export function attributeDrift(alert: Alert, isOurs: boolean): DriftActor {
  if (isOurs && !alert.isActive) return 'Self';
  return isScan(alert) ? 'Scan' : alert.lastActor;
}

function isScan({ modifiedAtMs, scannedAtMs, systemModifiedAtMs }: Alert): boolean {
  if (modifiedAtMs === undefined || scannedAtMs === undefined) return false;
  if (Math.abs(modifiedAtMs - scannedAtMs) > scanMomentMs) return false;
  return systemModifiedAtMs === undefined || systemModifiedAtMs <= modifiedAtMs;
}
