// How a call of the alerts service fails. Closed: a new code does not compile until `operator/decide/failures.ts` says what it means for a scope.
import { CodedError, isCoded } from '../lib/errors.ts';

export type AlertsErrorCode =
  | 'service-rejected'
  | 'scope-not-found'
  | 'scope-forbidden'
  | 'alert-refused'
  | 'service-denied'
  | 'service-busy'
  | 'service-unreachable'
  | 'service-protocol'
  | 'credential-missing'
  | 'credential-not-allowed'
  | 'token-endpoint-failed'
  | 'tls-failed'
  | 'endpoint-invalid';

/** The alerts service, the way to it, or the credential for it caused the failure. */
export class AlertsError extends CodedError<AlertsErrorCode> {}

/** True for an `AlertsError` with one of the codes. */
export function isAlertsError(error: unknown, ...codes: readonly AlertsErrorCode[]): error is AlertsError {
  return error instanceof AlertsError && isCoded(error, ...codes);
}
