// One example for every reason of a policy. A reason without an example does not compile.
import { internalFailure } from '../../../src/operator/decide/failures.ts';
import type { WriteFailure } from '../../../src/operator/decide/writes.ts';
import type { PolicyReason } from '../../../src/operator/reasons/reasons.ts';
import type { StatusInput } from '../../../src/operator/report/policy-status.ts';
import type { CorrectionWindow } from '../../../src/policy/generated/role-alert-policy.ts';
import {
  alert,
  alertName,
  allowed,
  at,
  clusterConnection,
  damped,
  firing,
  inactive,
  input,
  minuteMs,
  nowMs,
  refused,
  workdays,
} from '../builders/objects.ts';
import { afterSync, dismissing, failed, listed, off, scope, sent, statusInput } from './samples.ts';

export interface PolicyExample {
  /** Undefined for a reason that the operator never writes. */
  readonly input?: StatusInput;
  /** Why no event has the reason; required unless one has. */
  readonly noEvent?: string;
  /** Why the message names no object and no next step. */
  readonly isGeneral?: string;
}

const healthy = 'there is nothing to do';
const asDrift = '`DriftDetected` or `DeactivatedByOthers` reports the drift';
const failure = (kind: WriteFailure['kind']) => ({
  failure: { kind, serviceCode: 'AuthorizationFailed', retryAtMs: nowMs + minuteMs },
});
const windowed = (correctionWindows: readonly CorrectionWindow[]) =>
  dismissing({ grant: { ...allowed, correctionWindows } });
const mode = 'Observe';
const observing = afterSync(listed({ policies: [input({ spec: { mode } })], alerts: [off] }), { spec: { mode } });

export const policyExamples: Readonly<Record<PolicyReason, PolicyExample>> = {
  Pending: { noEvent: 'the API server sets this default', isGeneral: 'the default of the schema is one sentence' },
  Progressing: { input: afterSync(listed({ alerts: [off] })), noEvent: asDrift },
  Succeeded: { input: statusInput(listed()), noEvent: '`DriftCorrected` reports a correction', isGeneral: healthy },
  InSync: { input: statusInput(listed()), noEvent: '`DriftCorrected` reports a correction', isGeneral: healthy },
  VerifyingWrite: {
    input: afterSync(listed({ alerts: [off], sent: sent() })),
    noEvent: '`DriftCorrected` or `WriteNotVerified` reports the outcome',
  },
  WriteNotVerified: { input: afterSync(listed({ alerts: [off], sent: sent({ sentAtMs: nowMs - 2 * minuteMs }) })) },
  RetryingWrite: {
    input: afterSync(listed({ alerts: [off], sent: sent({ sentAtMs: nowMs - 2 * minuteMs }) })),
    noEvent: 'the event of the reason of `Ready` reports the cause',
  },
  Observed: { input: observing, noEvent: asDrift },
  ObserveOnly: { input: observing, noEvent: asDrift },
  Suspended: {
    input: afterSync({ kind: 'suspended' }),
    noEvent: 'the author of the edit knows; `SuspensionEnded` reports an end by itself',
    isGeneral: 'it is about the policy itself',
  },
  DeactivationDenied: { input: afterSync(listed({ policies: [dismissing({ grant: refused })] })) },
  DismissalTooLong: {
    input: afterSync(listed({ policies: [dismissing({ grant: { ...allowed, maxDismissalMs: minuteMs } })] })),
  },
  DismissalIncomplete: {
    input: afterSync(
      listed({
        policies: [
          dismissing({
            spec: { scope, alerts: [{ ...inactive({}), dismissal: { reason: 'short', until: at(60 * minuteMs) } }] },
          }),
        ],
      }),
    ),
  },
  LedgerFull: { input: afterSync(listed({ policies: [dismissing()], ledgerRoom: 0 })) },
  Flapping: { input: afterSync(listed({ policies: [dismissing()], ...damped })) },
  DeactivationLimited: { input: afterSync(listed({ policies: [dismissing()], deactivationsLeft: 0 })) },
  WaitingForWindow: { input: afterSync(listed({ policies: [windowed([workdays])] })) },
  OutsideWindow: {
    input: afterSync(listed({ policies: [windowed([workdays])] })),
    noEvent: 'the event of the reason of `Ready` reports the cause',
  },
  NoWindowAhead: {
    input: afterSync(listed({ policies: [windowed([{ ...workdays, schedule: '0 0 * * *', duration: '24h' }])] })),
  },
  WindowInvalid: { input: afterSync(listed({ policies: [windowed([{ ...workdays, timeZone: 'Mars/Utopia' }])] })) },
  CorrectionUndone: {
    input: afterSync(
      listed({ alerts: [off], activationBackoffs: new Map([[alertName.toLowerCase(), { count: 1, lastMs: nowMs }]]) }),
    ),
    noEvent: '`DeactivatedByOthers` reports each deactivation',
  },
  ScopeConflict: { input: afterSync(listed({ policies: [dismissing(), input({ name: 'guard' })] })) },
  ConnectionDeleting: {
    input: afterSync({ kind: 'connection-deleting' }),
    noEvent: 'the author of the deletion knows, and every activated alert has an event',
  },
  ConnectionNotFound: { input: afterSync({ kind: 'no-connection' }) },
  AccessDenied: { input: afterSync({ kind: 'access-denied' }, { through: clusterConnection() }) },
  ModeNotGranted: {
    input: afterSync(listed({ policies: [input({ grant: { ...allowed, mode: 'Observe' } })] }), {
      through: clusterConnection(),
    }),
    noEvent: 'the owner of the connection lets the namespace observe first',
  },
  GuardDenied: {
    input: afterSync(
      listed({
        policies: [
          input({
            grant: { ...allowed, unlisted: 'Deny' },
            spec: { unlisted: { state: 'Active', minSeverity: 'High' } },
          }),
        ],
      }),
      { through: clusterConnection() },
    ),
  },
  ConnectionNotReady: {
    input: afterSync(failed('credential-missing'), { health: 'SecretNotFound' }),
    noEvent: 'the event of the connection reports the cause once for all its policies',
  },
  ScopeRejected: { input: afterSync(failed('service-rejected', { serviceCode: 'InvalidScope' })) },
  ScopeForbidden: { input: afterSync(failed('scope-forbidden', { serviceCode: 'AuthorizationFailed' })) },
  ScopeNotFound: { input: afterSync(failed('scope-not-found', { serviceCode: 'ScopeNotFound' })) },
  AlertNotFound: { input: afterSync(listed({ alerts: [] })) },
  CorrectionFailed: { input: afterSync(listed({ alerts: [off], sent: sent(failure('Refused')) })) },
  ProtocolError: { input: afterSync(failed('service-protocol')) },
  ListTooLarge: { input: afterSync(failed('service-protocol', { reason: 'ListTooLarge' })) },
  UnsafeNextLink: { input: afterSync(failed('service-protocol', { reason: 'UnsafeNextLink' })) },
  ServiceUnreachable: { input: afterSync(failed('service-unreachable')) },
  Stale: { input: afterSync(failed('service-busy', {}, true), { health: 'Throttled' }) },
  InternalError: { input: afterSync({ kind: 'failed', failure: internalFailure, isStale: false }) },
  IncidentsFound: { input: afterSync(listed({ alerts: [firing(['6f1c', '77aa'])] })) },
  NoIncidents: { input: statusInput(listed()), noEvent: '`IncidentsResolved` reports the end', isGeneral: healthy },
  ScanningDisabled: { input: afterSync(listed({ alerts: [alert({ isScanned: false })] })) },
};
