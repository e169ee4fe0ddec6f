// Which events a transition deserves. Only what changed between two statuses, and what was proven, becomes an event, so an
// operator that sees nothing new says nothing. Notes may name things; people they never name.
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { conditionOf } from './conditions.ts';
import type { Correction } from './memory.ts';
import { conditionMessage } from './reasons.ts';
import type { AlertDecision } from './types.ts';

export type EventReason =
  | 'DriftDetected'
  | 'DriftCorrected'
  | 'DismissalExpired'
  | 'DismissalDropped'
  | 'ConnectionRestored'
  | 'AlertDeactivated'
  | 'CorrectionFailed'
  | 'FlappingHeld'
  | 'WriteNotVerified'
  | 'NewIncidents'
  | 'ScopeConflict'
  | 'AccessDenied'
  | 'ConnectionLost'
  | 'ScanningDisabled';

/** An event before it has a regarding object and a time. */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  /** What the operator did or tried, in CamelCase. */
  readonly action: 'Reconcile' | 'Activate' | 'Deactivate' | 'Connect';
  readonly note: string;
}

/** What was proven first, then what is new in the state. */
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
    const note = `Alert ${alert} was turned off as its dismissal declares, and seen off.`;
    return { type: 'Warning', reason: 'AlertDeactivated', action: 'Deactivate', note };
  }
  const activate = { action: 'Activate' } as const;
  switch (cause) {
    case 'DismissalExpired':
      return {
        ...activate,
        type: 'Normal',
        reason: cause,
        note: `The dismissal of alert ${alert} ended; it is active again.`,
      };
    case 'NewIncidents':
      return {
        ...activate,
        type: 'Warning',
        reason: cause,
        note: `Alert ${alert} has incidents beyond the bound of its dismissal; it was turned on, and seen on.`,
      };
    case 'DeclarationGone':
      return {
        ...activate,
        type: 'Normal',
        reason: 'DismissalExpired',
        note: `No dismissal of alert ${alert} counts any more; it is active again.`,
      };
    default:
      return {
        ...activate,
        type: 'Normal',
        reason: 'DriftCorrected',
        note: `Alert ${alert} was inactive and is declared active; it was turned on, and seen on.`,
      };
  }
}

/** An entry of the ledger ended without proof, because the service does not list the alert any more. */
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
  // Without a row nothing remembers what was told, and the same would be told after every list.
  if (!before && !after) return [];
  if (before?.result === result && before.want === want.state) return [];
  const action = want.state === 'Inactive' ? 'Deactivate' : 'Activate';
  switch (result) {
    case 'Drifted':
      return [{ type: 'Normal', reason: 'DriftDetected', action: 'Reconcile', note: driftNote(decision) }];
    case 'Denied': {
      const why = reason === undefined ? '' : ` ${conditionMessage(reason)}`;
      return [{ type: 'Warning', reason: 'AccessDenied', action, note: `Alert ${name} is not turned off.${why}` }];
    }
    case 'Conflict': {
      const note = `Policy ${decision.ownerKey ?? ''} owns alert ${name} and wants the opposite.`;
      return [{ type: 'Warning', reason: 'ScopeConflict', action: 'Reconcile', note }];
    }
    case 'Held':
      return reason === 'Flapping' ? [flappingEvent(name)] : [];
    case 'Failed':
      return [failureEvent(decision, action)];
    default:
      return [];
  }
}

function flappingEvent(name: string): EventDraft {
  const note = `Alert ${name} keeps being turned on; it is not turned off again for now.`;
  return { type: 'Warning', reason: 'FlappingHeld', action: 'Deactivate', note };
}

function driftNote({ name, want, alert }: AlertDecision): string {
  const live = alert?.isActive === true ? 'active' : 'inactive';
  return `Alert ${name} is ${live} and is declared ${want.state.toLowerCase()}.`;
}

function failureEvent(decision: AlertDecision, action: 'Activate' | 'Deactivate'): EventDraft {
  const { name, reason, serviceCode } = decision;
  if (reason === 'WriteNotVerified') {
    return { type: 'Warning', reason, action, note: `The correction of alert ${name} was accepted but is not seen.` };
  }
  const code = serviceCode === undefined ? '' : ` (${serviceCode})`;
  return {
    type: 'Warning',
    reason: 'CorrectionFailed',
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
