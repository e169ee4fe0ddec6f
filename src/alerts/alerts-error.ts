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

/** Why a request had no usable response, as far as a condition names it. A number: the status with which the server failed. */
export type NetworkCause = (typeof networkCauses)[number] | number;

const networkCauses = [
  'NameNotResolved',
  'Refused',
  'TimedOut',
  'Closed',
  'UnknownAuthority',
  'CertificateExpired',
  'OtherHostName',
  'NotTLS',
  'BundleInvalid',
] as const;

/** Of a request that the server did not serve; `reason` of the error has it where there was no response. */
export function networkCauseOf({ code, reason, status = 0 }: AlertsError): NetworkCause | undefined {
  if (code !== 'service-unreachable' && code !== 'token-endpoint-failed' && code !== 'tls-failed') return undefined;
  return networkCauses.find((cause) => cause === reason) ?? (status === 408 || status >= 500 ? status : undefined);
}

/** The alerts service, the way to it, or the credential for it caused the failure. */
export class AlertsError extends CodedError<AlertsErrorCode> {}

/** True for an `AlertsError` with one of the codes. */
export function isAlertsError(error: unknown, ...codes: readonly AlertsErrorCode[]): error is AlertsError {
  return error instanceof AlertsError && isCoded(error, ...codes);
}
