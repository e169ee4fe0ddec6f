// What a failed reconcile means: the reason a policy shows, the health of its connection, and how soon to reconcile again. Closed
// over the error codes, so that a new code does not compile until it has its place here.
import type { CodedError, ErrorCode } from '../lib/errors.ts';
import type { ConnectionReason, PolicyReason } from './reasons.ts';

/** `stalled`: only a change elsewhere helps. `retrying`: it may pass by itself. `throttled`: the service asked to wait. */
export type FailureKind = 'stalled' | 'retrying' | 'throttled';

/** `slow`: after max(interval, min(4 × interval, 1 h)); `forbidden`: the same from 2 minutes on. `backoff`: 1 s doubling to 5 min. `credential`: every 30 s. */
export type RetryPace = 'after-interval' | 'forbidden' | 'backoff' | 'credential' | 'retry-after';

export interface ReconcileFailure {
  readonly kind: FailureKind;
  readonly reason: PolicyReason;
  /** What it says about the connection as a whole. */
  readonly connection: ConnectionReason;
  readonly pace: RetryPace;
  readonly serviceCode: string | undefined;
}

type FailureRow = Omit<ReconcileFailure, 'serviceCode'>;

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

const internal: FailureRow = { kind: 'retrying', reason: 'InternalError', connection: 'Connected', pace: 'backoff' };

const rows: Readonly<Record<ErrorCode, FailureRow>> = {
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
  'plan-outdated': internal,
  'kube-conflict': internal,
  'kube-gone': internal,
  'kube-not-found': internal,
  'kube-denied': internal,
  'kube-invalid': internal,
  'kube-unreachable': internal,
  stopped: internal,
  usage: internal,
  local: internal,
};

/** For a scope that may not be listed before the end of a pause. */
export const throttled: ReconcileFailure = { ...rows['service-busy'], serviceCode: undefined };

/** A 401 that another scope, listed with the same credential, has disproved: then the scope alone is out of reach. */
export function shownFailure(failure: ReconcileFailure, isAlone: boolean): ReconcileFailure {
  const isDisproved = isAlone && endingOf(failure) === 'refused';
  return isDisproved ? { ...rows['scope-forbidden'], serviceCode: failure.serviceCode } : failure;
}

/** True for what the service, or the way to it, is the cause of. */
export function isOfService({ code }: CodedError): boolean {
  return code !== 'stopped' && code !== 'plan-outdated' && !code.startsWith('kube-');
}

export function failureOf(error: CodedError): ReconcileFailure {
  const row = rows[error.code];
  const reason = error.reason === 'ListTooLarge' || error.reason === 'UnsafeNextLink' ? error.reason : row.reason;
  return { ...row, reason, serviceCode: row.kind === 'stalled' ? error.serviceCode : undefined };
}

/**
 * How an attempt on a scope ended, as it concerns the other scopes of the connection. `listed`: a whole list. `answered`: an answer that
 * concerns the scope and shows that the credential was accepted: 400, 403, 404. `garbled`: an answer that is not to be trusted. `busy`: 429.
 * `refused`: 401. `unusable`: the credential or the address cannot be used, so nothing was sent. `unreached`: no answer, or that of a service
 * that fails.
 */
export type Ending = 'listed' | 'answered' | 'garbled' | 'busy' | 'refused' | 'unusable' | 'unreached';

export function endingOf(failure: ReconcileFailure | undefined): Ending {
  if (!failure) return 'listed';
  if (failure.pace === 'credential') return failure.connection === 'Unauthorized' ? 'refused' : 'unusable';
  if (failure.connection === 'Unreachable') return 'unreached';
  if (failure.connection === 'Throttled') return 'busy';
  return failure.pace === 'after-interval' || failure.pace === 'forbidden' ? 'answered' : 'garbled';
}

/**
 * What a failed list does to the claims of its connection. `CredentialGone`: ends them all. `CredentialRefused`: that of the scope, and
 * all of them unless others are still listed. `ScopeRefused`: that of the scope. `ConnectionBroken`, `ListUnusable`: keeps what was proven,
 * but nobody waits to hear the connection, or the scope, any more.
 */
export type ClaimEffect =
  | 'CredentialGone'
  | 'CredentialRefused'
  | 'ScopeRefused'
  | 'ConnectionBroken'
  | 'ListUnusable'
  | 'None';

export function claimEffectOf({ code, status, reason }: CodedError): ClaimEffect {
  switch (code) {
    case 'credential-missing':
    case 'credential-not-allowed':
      return 'CredentialGone';
    case 'token-endpoint-failed':
      // Statuses of RFC 6749, 5.2, by which a token endpoint refuses a client.
      return status === 400 || status === 401 ? 'CredentialGone' : 'ConnectionBroken';
    case 'service-denied':
      return 'CredentialRefused';
    case 'service-rejected':
    case 'scope-not-found':
    case 'scope-forbidden':
      return 'ScopeRefused';
    case 'tls-failed':
    case 'endpoint-invalid':
      return 'ConnectionBroken';
    case 'service-protocol':
      return reason === 'ListTooLarge' ? 'ListUnusable' : 'None';
    default:
      return 'None';
  }
}
