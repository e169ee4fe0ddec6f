// Maps each error code to its consequences: the reason that the policy shows, the health of the connection and the pace
// of retries. The table is exhaustive: a new code does not compile until it has a row. The failure of a PATCH that concerns one alert does not
// reach it: scope/send.ts maps that, and rules.ts gives its reason.
import { AlertsError, type AlertsErrorCode, type NetworkCause, networkCauseOf } from '../../alerts/alerts-error.ts';
import type { CodedError } from '../../lib/errors.ts';
import type { ConnectionReason, PolicyReason } from '../reasons/reasons.ts';

/**
 * `stalled`: a user has to change something. `retrying`: it may recover without a change. `throttled`: the service
 * asked to wait.
 */
export type FailureKind = 'stalled' | 'retrying' | 'throttled';

/**
 * `after-interval`: after max(interval, min(4 × interval, 1 h)). `forbidden`: 2 min doubling to that delay. `backoff`:
 * 1 s doubling to 5 min. `credential`: every 30 s. `retry-after`: as the service asks, at least 5 s.
 */
export type RetryPace = 'after-interval' | 'forbidden' | 'backoff' | 'credential' | 'retry-after';

export interface ReconcileFailure {
  readonly kind: FailureKind;
  readonly reason: PolicyReason;
  /** The health of the connection that follows from it. */
  readonly connection: ConnectionReason;
  readonly pace: RetryPace;
  readonly serviceCode: string | undefined;
  /** Set when there was no usable response; messages name it. */
  readonly networkCause?: NetworkCause | undefined;
}

type FailureRow = Omit<ReconcileFailure, 'serviceCode' | 'networkCause'>;

const unusable = (connection: ConnectionReason): FailureRow => ({
  kind: 'retrying',
  reason: 'ConnectionNotReady',
  connection,
  pace: 'credential',
});

const refused = (reason: PolicyReason): FailureRow => ({
  kind: 'stalled',
  reason,
  connection: 'Connected',
  pace: 'after-interval',
});

const rows: Readonly<Record<AlertsErrorCode, FailureRow>> = {
  'service-rejected': refused('ScopeRejected'),
  'scope-not-found': refused('ScopeNotFound'),
  'scope-forbidden': { ...refused('ScopeForbidden'), pace: 'forbidden' },
  'alert-refused': { kind: 'retrying', reason: 'CorrectionFailed', connection: 'Connected', pace: 'after-interval' },
  'service-denied': unusable('Unauthorized'),
  'service-busy': { kind: 'throttled', reason: 'Stale', connection: 'Throttled', pace: 'retry-after' },
  'service-unreachable': {
    kind: 'retrying',
    reason: 'ServiceUnreachable',
    connection: 'Unreachable',
    pace: 'backoff',
  },
  'service-protocol': { kind: 'retrying', reason: 'ProtocolError', connection: 'Connected', pace: 'backoff' },
  'credential-missing': unusable('SecretNotFound'),
  'credential-not-allowed': unusable('SecretNotAllowed'),
  'token-endpoint-failed': unusable('TokenEndpointFailed'),
  'tls-failed': unusable('TLSFailed'),
  'endpoint-invalid': unusable('InvalidEndpoint'),
};

/** For an attempt that the API server, a stop or a bug ended. */
export const internalFailure: ReconcileFailure = {
  kind: 'retrying',
  reason: 'InternalError',
  connection: 'Connected',
  pace: 'backoff',
  serviceCode: undefined,
};

/** The failure of a scope that has to wait for the end of a pause. */
export const throttled: ReconcileFailure = { ...rows['service-busy'], serviceCode: undefined };

/** Treats a 401 as ScopeForbidden once another scope, listed with the same credential, has disproved it. */
export function shownFailure(failure: ReconcileFailure, isRefusedHereOnly: boolean): ReconcileFailure {
  const isDisproved = isRefusedHereOnly && endKindOf(failure) === 'refused';
  return isDisproved ? { ...rows['scope-forbidden'], serviceCode: failure.serviceCode } : failure;
}

export function failureOf(error: CodedError): ReconcileFailure {
  if (!(error instanceof AlertsError)) return internalFailure;
  const row = rows[error.code];
  const reason = error.reason === 'ListTooLarge' || error.reason === 'UnsafeNextLink' ? error.reason : row.reason;
  const connection = specificReasons.find((specific) => specific === error.reason) ?? row.connection;
  const serviceCode = row.kind === 'stalled' ? error.serviceCode : undefined;
  return { ...row, reason, connection, serviceCode, networkCause: networkCauseOf(error) };
}

/** Causes of one code that need different next steps. */
const specificReasons = [
  'SecretInvalid',
  'CABundleNotFound',
  'HostNotAllowed',
  'ServiceAccountNotFound',
  'ServiceAccountNotAllowed',
  'AudienceNotAllowed',
  'TokenRequestFailed',
] as const satisfies readonly ConnectionReason[];

/**
 * What the end of an attempt on a scope says about the connection's other scopes. `listed`: a complete list.
 * `answered`: 400, 403 or 404, which shows that the service accepted the credential. `garbled`: a response that cannot
 * be trusted. `busy`: 429. `refused`: 401. `unusable`: nothing was sent, because the credential or the address cannot
 * be used. `unreached`: no response, or the service failed.
 */
export type EndKind = 'listed' | 'answered' | 'garbled' | 'busy' | 'refused' | 'unusable' | 'unreached';

export function endKindOf(failure: ReconcileFailure | undefined): EndKind {
  if (!failure) return 'listed';
  if (failure.pace === 'credential') return failure.connection === 'Unauthorized' ? 'refused' : 'unusable';
  if (failure.connection === 'Unreachable') return 'unreached';
  if (failure.connection === 'Throttled') return 'busy';
  return failure.pace === 'after-interval' || failure.pace === 'forbidden' ? 'answered' : 'garbled';
}

/** Failures in a row with the same cause. The log has the first, second, fourth, eighth … of them as a warning and the others at debug, so that a failure that lasts for weeks does not fill it. */
export interface FailureStreak {
  /** Empty without a failure. */
  readonly cause: string;
  readonly count: number;
}

export const noStreak: FailureStreak = { cause: '', count: 0 };

/** The streak after one more failure with that cause. */
export function extended(streak: FailureStreak, cause: string): FailureStreak {
  return { cause, count: streak.cause === cause ? streak.count + 1 : 1 };
}

/** The reason of the connection, or of the policies while the connection works. */
export function causeOf({ connection, reason }: ReconcileFailure): string {
  return connection === 'Connected' ? reason : connection;
}

/** The streak of the whole connection; a failure of one scope, and a complete list, end it. */
export function connectionStreakAfter(
  streak: FailureStreak,
  failure: Pick<ReconcileFailure, 'connection'> | undefined,
): FailureStreak {
  return failure === undefined || failure.connection === 'Connected' ? noStreak : extended(streak, failure.connection);
}

/** `streak`: of the scope. What fails on every scope of a connection is repeated from its second scope on. */
export function levelOf(
  { connectionStreak }: { readonly connectionStreak: FailureStreak },
  streak: FailureStreak,
  failure: ReconcileFailure,
): 'warn' | 'debug' {
  const ofConnection = connectionStreakAfter(connectionStreak, failure);
  return isLogged(Math.max(streak.count, ofConnection.count)) ? 'warn' : 'debug';
}

/** True for the first, second, fourth, eighth … in a row. */
export function isLogged(count: number): boolean {
  return (count & (count - 1)) === 0;
}
