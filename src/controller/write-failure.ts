// What a failed PATCH means for its alert.
import { isAlertsError } from '../alerts/alerts-error.ts';
import type { WriteFailure } from '../plan/memory.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';

/**
 * The failure of a PATCH that concerns only this alert or may have been applied without a response. Undefined for any
 * other error.
 */
export function writeFailureOf(
  error: unknown,
  intervalMs: number,
  tries: number,
  nowMs: number,
): WriteFailure | undefined {
  if (isAlertsError(error, 'alert-refused')) {
    return { kind: 'Refused', serviceCode: error.serviceCode, retryAtMs: nowMs + slowDelayMs(intervalMs) };
  }
  // The service has just accepted the credential for the list, so it may only lack the permission for this change. The
  // next list shows which.
  if (isAlertsError(error, 'service-denied')) {
    const delayMs = failureDelayMs('forbidden', { intervalMs, failures: tries, retryAfterMs: undefined });
    return { kind: 'Refused', serviceCode: error.serviceCode, retryAtMs: nowMs + delayMs };
  }
  if (isAlertsError(error, 'service-unreachable', 'service-protocol')) {
    const delayMs = failureDelayMs('backoff', { intervalMs, failures: tries, retryAfterMs: undefined });
    return { kind: 'Unreachable', serviceCode: error.serviceCode, retryAtMs: nowMs + delayMs };
  }
  return undefined;
}
