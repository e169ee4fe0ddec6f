// Infers which class of actor last changed an alert from the timestamps of the alert (specification 2.2, 2.7). It is an
// inference, and it never names a person.
import type { Alert } from '../alerts/types.ts';
import type { DriftActor } from '../policy/generated/role-alert-policy.ts';

/** A scan writes both timestamps within this time. */
const scanMomentMs = 2000;

/** `isOurs`: the connection's ledger records that this operator deactivated the alert. */
export function attributeDrift(alert: Alert, isOurs: boolean): DriftActor {
  if (isOurs && !alert.isActive) return 'Self';
  return isScan(alert) ? 'Scan' : alert.lastActor;
}

function isScan({ modifiedAtMs, scannedAtMs, systemModifiedAtMs }: Alert): boolean {
  if (modifiedAtMs === undefined || scannedAtMs === undefined) return false;
  if (Math.abs(modifiedAtMs - scannedAtMs) > scanMomentMs) return false;
  return systemModifiedAtMs === undefined || systemModifiedAtMs <= modifiedAtMs;
}
