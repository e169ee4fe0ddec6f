// What a failed PATCH means for its alert.
import { type AlertsErrorCode, isAlertsError } from '../../alerts/alerts-error.ts';
import type { RetryPace } from '../decide/failures.ts';
import type { WriteFailure } from '../decide/memory.ts';
import { failureDelayMs } from '../decide/schedule.ts';

/** Any other failure concerns the whole connection. */
const paces: Partial<Readonly<Record<AlertsErrorCode, RetryPace>>> = {
  'alert-refused': 'after-interval',
  // The service has just accepted the credential for the list, so it may only lack the permission for this change. The
  // next list shows which.
  'service-denied': 'forbidden',
  'service-unreachable': 'backoff',
  'service-protocol': 'backoff',
};

/** The failure of a PATCH that concerns only this alert or may have been applied without a response. Undefined for any other error. */
export function writeFailureOf(
  error: unknown,
  facts: {
    readonly intervalMs: number;
    readonly tries: number;
    readonly isNotWritten: boolean;
    readonly nowMs: number;
  },
): WriteFailure | undefined {
  const pace = isAlertsError(error) ? paces[error.code] : undefined;
  if (!isAlertsError(error) || !pace) return undefined;
  const { intervalMs, tries, isNotWritten, nowMs } = facts;
  const retryAtMs = nowMs + failureDelayMs(pace, { intervalMs, failures: tries, retryAfterMs: undefined });
  const kind = pace !== 'backoff' ? 'Refused' : isNotWritten ? 'NotWritten' : 'Unreachable';
  return { kind, serviceCode: error.serviceCode, retryAtMs };
}
