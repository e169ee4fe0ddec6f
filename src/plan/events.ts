// The events of a status transition: verified corrections, and what changed between two statuses. An unchanged status emits no
// event. A transition that a condition shows has the reason of that condition. Notes contain no personal data.
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { conditionOf } from './conditions.ts';
import type { AlertDecision } from './decisions.ts';
import type { Correction } from './memory.ts';
import { conditionMessage, type Reason } from './reasons.ts';

/** The reason of the condition that shows the transition; the other words are for transitions without a condition of their own. */
export type EventReason =
  | Reason
  | 'DriftDetected'
  | 'DriftCorrected'
  | 'AlertDeactivated'
  | 'DismissalExpired'
  | 'DismissalDropped'
  | 'NewIncidents'
  | 'ConnectionRestored';

/** An event before it has a regarding object and a time. */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  /** What the operator did or tried, in CamelCase. */
  readonly action: 'Reconcile' | 'Activate' | 'Deactivate' | 'Connect';
  readonly note: string;
}

/** Verified corrections come first, then changes of state. */
export function policyEvents(
  previous: RoleAlertPolicyStatus | undefined,
  next: RoleAlertPolicyStatus,
  decisions: readonly AlertDecision[],
  corrections: readonly Correction[],
): EventDraft[] {
  const before = new Map(previous?.alerts?.map((row) => [row.name, row]));
  const after = new Map(next.alerts?.map((row) => [row.name, row]));
  return [
    ...corrections.map(correctionEvent),
    ...decisions.flatMap((decision) => transitionEvent(before.get(decision.name), after.get(decision.name), decision)),
    ...scanningEvent(previous, next),
  ];
}

export function correctionEvent({ alert, isActive, cause }: Correction): EventDraft {
  if (!isActive) {
    const note = `Alert ${alert} was deactivated under its dismissal; a list verified it.`;
    return { type: 'Warning', reason: 'AlertDeactivated', action: 'Deactivate', note };
  }
  const activate = { action: 'Activate' } as const;
  switch (cause) {
    case 'DismissalExpired':
      return {
        ...activate,
        type: 'Normal',
        reason: cause,
        note: `The dismissal of alert ${alert} ended; the alert is active again.`,
      };
    case 'NewIncidents':
      return {
        ...activate,
        type: 'Warning',
        reason: cause,
        note: `Alert ${alert} has incidents beyond the bound of its dismissal; it is active again.`,
      };
    case 'DeclarationGone':
      return {
        ...activate,
        type: 'Normal',
        reason: 'DismissalExpired',
        note: `No dismissal of alert ${alert} is in force any more; the alert is active again.`,
      };
    default:
      return {
        ...activate,
        type: 'Normal',
        reason: 'DriftCorrected',
        note: `Alert ${alert} was inactive although its desired state is Active; it was activated, and a list verified it.`,
      };
  }
}

/** The event for a dismissal that the ledger drops without proof, because the service no longer lists the alert. */
export function droppedEvent({ alert, scope }: Pick<DismissalRecord, 'alert' | 'scope'>): EventDraft {
  const note = `The service has not listed alert ${alert} of ${scope} for a day; its dismissal is no longer recorded.`;
  return { type: 'Warning', reason: 'DismissalDropped', action: 'Reconcile', note };
}

function transitionEvent(
  before: AlertStatus | undefined,
  after: AlertStatus | undefined,
  decision: AlertDecision,
): EventDraft[] {
  const { name, result, reason, want } = decision;
  // Without a row in either status the same event would be emitted after every list.
  if (!before && !after) return [];
  if (before?.result === result && before.want === want.state) return [];
  const action = want.state === 'Inactive' ? 'Deactivate' : 'Activate';
  switch (result) {
    case 'Drifted':
      return [{ type: 'Normal', reason: 'DriftDetected', action: 'Reconcile', note: driftNote(decision) }];
    case 'Denied':
      return [deniedEvent(name, reason ?? 'DeactivationDenied', action)];
    case 'Conflict': {
      const note = `Policy ${decision.ownerKey ?? ''} owns alert ${name} and wants the opposite.`;
      return [{ type: 'Warning', reason: 'ScopeConflict', action: 'Reconcile', note }];
    }
    case 'Held':
      return reason === 'Flapping' ? [deniedEvent(name, reason, action)] : [];
    case 'Failed':
      return [failureEvent(decision, action)];
    default:
      return [];
  }
}

function deniedEvent(name: string, reason: Reason, action: EventDraft['action']): EventDraft {
  return { type: 'Warning', reason, action, note: `Alert ${name} is not deactivated. ${conditionMessage(reason)}` };
}

function driftNote({ name, want, alert }: AlertDecision): string {
  const live = alert?.isActive === true ? 'active' : 'inactive';
  return `Alert ${name} is ${live}; its desired state is ${want.state}.`;
}

function failureEvent(decision: AlertDecision, action: 'Activate' | 'Deactivate'): EventDraft {
  const { name, reason = 'CorrectionFailed', serviceCode } = decision;
  if (reason === 'WriteNotVerified') {
    return { type: 'Warning', reason, action, note: `The correction of alert ${name} was accepted but not verified.` };
  }
  const code = serviceCode === undefined ? '' : ` (${serviceCode})`;
  return {
    type: 'Warning',
    reason,
    action,
    note: `The correction of alert ${name} failed${code}.`,
  };
}

function scanningEvent(previous: RoleAlertPolicyStatus | undefined, next: RoleAlertPolicyStatus): EventDraft[] {
  const isDisabled = conditionOf(next, 'Coverage')?.status === 'False';
  if (!isDisabled || conditionOf(previous, 'Coverage')?.status === 'False') return [];
  const note = 'An alert that must be active is not scanned by the service, so it cannot find new incidents.';
  return [{ type: 'Warning', reason: 'ScanningDisabled', action: 'Reconcile', note }];
}
