// The rules that decide one alert of one policy. Each decides, or leaves the alert to the next one and may rely on those before it.
import { formatTimestamp } from '../../lib/timestamp.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import { windowState } from '../../policy/correction-windows.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import { dampedUntilMs } from '../dismissals/deactivations.ts';
import { connectionName, type MessageFacts } from '../reasons/message-facts.ts';
import type { PolicyReason } from '../reasons/reasons.ts';
import { competesForOwnership } from './claims.ts';
import type { AlertDecision, AlertRow, Claim, PlanInput, PolicyInput, WindowHold } from './decisions.ts';
import { isOftenUndone, mayActivateAgainAtMs, type PendingWrite, type WriteFailure, writeState } from './writes.ts';

export interface RuleInput {
  readonly plan: PlanInput;
  readonly row: AlertRow;
  readonly claim: Claim;
  /** That of the alert in the ledger. */
  readonly entry: DismissalRecord | undefined;
  /** What the alerts before this one leave of `plan.ledgerRoom`. */
  readonly ledgerRoom: number;
  /** How many more deactivations the policy may have sent within this hour. */
  readonly deactivationsLeft: number;
  /** How correction windows hold the deactivations of a policy; undefined while they are open. */
  readonly windowHold: (input: PolicyInput) => WindowHold | undefined;
}

type RuleDecision = Pick<AlertDecision, 'result' | 'reason' | 'untilMs' | 'serviceCode' | 'ownerKey' | 'invalidWindow'>;

type Rule = (input: RuleInput) => RuleDecision | undefined;

/** The policy neither declares the alert nor guards it with `unlisted`. */
const unmanaged: Rule = ({ claim }) => (claim.want.state === 'None' ? { result: 'Unmanaged' } : undefined);

/** The policy may not dismiss this alert, or not for so long. Reported even if the alert is inactive already. */
const dismissalDenied: Rule = ({ claim }) =>
  claim.want.denial ? { result: 'Denied', reason: claim.want.denial } : undefined;

/** The service does not list the alert, which satisfies a claim for Inactive but not one for Active. */
const alertNotFound: Rule = ({ claim, row }) => {
  if (row.alert) return undefined;
  return { result: isForInactive(claim) ? 'InSync' : 'Missing' };
};

/** Another policy owns the alert and wants the opposite. */
const scopeConflict: Rule = ({ claim, row: { owner } }) => {
  if (!owner || !competesForOwnership(claim) || owner.want.state === claim.want.state) return undefined;
  return { result: 'Conflict', ownerKey: owner.input.key };
};

/** The live flag matches the desired state. */
const inSync: Rule = ({ claim, row }) =>
  row.alert?.isActive === (claim.want.state === 'Active') ? { result: 'InSync' } : undefined;

/** Drift that this policy only reports: it is in Observe mode, or the operator runs read-only. */
const observeOnly: Rule = ({ claim, plan }) =>
  plan.isReadOnly || !competesForOwnership(claim) ? { result: 'Drifted', reason: 'ObserveOnly' } : undefined;

/** The write failed, and the retry is not due yet. */
const correctionFailed: Rule = (input) => {
  const write = ownWrite(input);
  const { intervalMs, nowMs } = input.plan;
  if (!write?.failure || writeState(write, intervalMs, nowMs) !== 'Failed') return undefined;
  const { kind, serviceCode } = write.failure;
  return { result: 'Failed', reason: failureReasons[kind], serviceCode };
};

const failureReasons: Readonly<Record<WriteFailure['kind'], PolicyReason>> = {
  Refused: 'CorrectionFailed',
  Unreachable: 'ServiceUnreachable',
  NotWritten: 'ServiceUnreachable',
};

/** The write was sent, and no list has shown its effect yet. */
const unverifiedWrite: Rule = (input) => {
  const write = ownWrite(input);
  const state = write && writeState(write, input.plan.intervalMs, input.plan.nowMs);
  if (state === 'Verifying') return { result: 'Pending', reason: 'VerifyingWrite' };
  return state === 'NotVerified' ? { result: 'Failed', reason: 'WriteNotVerified' } : undefined;
};

/**
 * The owner's damping allows no further deactivation in this window. If the service refused the last one, the result
 * reports that instead.
 */
const flapping: Rule = (input) => {
  const { claim, row, plan } = input;
  if (!isForInactive(claim)) return undefined;
  const { policy } = (row.owner ?? claim).input;
  const untilMs = dampedUntilMs(policy, plan.recentDeactivations.get(row.key) ?? [], plan.nowMs);
  if (untilMs === undefined) return undefined;
  const failure = ownWrite(input)?.failure;
  if (failure?.kind !== 'Refused') return { result: 'Held', reason: 'Flapping', untilMs };
  return { result: 'Failed', reason: 'CorrectionFailed', serviceCode: failure.serviceCode, untilMs };
};

/** The ledger has no room for another dismissal, and the operator sends no deactivation that it cannot record. */
const ledgerFull: Rule = ({ claim, entry, ledgerRoom }) =>
  isForInactive(claim) && !entry && ledgerRoom <= 0 ? { result: 'Denied', reason: 'LedgerFull' } : undefined;

/** The correction windows of the owner or of its connection are closed. They hold deactivations only. */
const outsideWindow: Rule = ({ claim, row, windowHold }) => {
  const hold = isForInactive(claim) ? windowHold((row.owner ?? claim).input) : undefined;
  return hold && { result: 'Held', ...hold };
};

/** The connection has sent as many deactivations within an hour as its limit allows. */
const deactivationLimited: Rule = ({ claim, deactivationsLeft, plan }) =>
  isForInactive(claim) && deactivationsLeft <= 0
    ? { result: 'Held', reason: 'DeactivationLimited', untilMs: plan.nextDeactivationMs }
    : undefined;

/** Another client undid the last activation, and the next one waits for the back-off. */
const correctionUndone: Rule = ({ claim, row, plan: { activationBackoffs, intervalMs, nowMs } }) => {
  const backoff = activationBackoffs.get(row.key);
  const untilMs = backoff && mayActivateAgainAtMs(backoff, intervalMs, nowMs);
  if (isForInactive(claim) || untilMs === undefined || untilMs <= nowMs) return undefined;
  return { result: 'Held', reason: 'CorrectionUndone', untilMs };
};

function isForInactive({ want }: Claim): boolean {
  return want.state === 'Inactive';
}

/** The latest write to the alert that no list has verified, if it sets the state that the claim wants. */
function ownWrite({ claim, row, plan }: RuleInput): PendingWrite | undefined {
  const write = plan.sent.get(row.key);
  return write?.isActive === (claim.want.state === 'Active') ? write : undefined;
}

/**
 * First what is no drift of the policy or not its to correct, then a write on its way, which must not be repeated, and last what holds a
 * new one. Of several holds, the one that a user has to know of decides: those that stall the policy come before those that only wait.
 */
const rules: readonly Rule[] = [
  unmanaged,
  dismissalDenied,
  alertNotFound,
  scopeConflict,
  inSync,
  observeOnly,
  correctionFailed,
  unverifiedWrite,
  flapping,
  ledgerFull,
  outsideWindow,
  deactivationLimited,
  correctionUndone,
];

/** Drift that no rule holds is `Drifted` without a reason; for the owner it becomes an action. */
export function decideAlert(name: string, input: RuleInput): AlertDecision {
  const { claim, row, entry, plan } = input;
  const isUndone = claim.want.state === 'Active' && isOftenUndone(plan.activationBackoffs.get(row.key));
  const dismissedSince = entry?.policy === claim.input.key ? entry.since : undefined;
  const isDeactivatedByOperator = entry !== undefined;
  const base = {
    name,
    want: claim.want,
    alert: row.alert,
    isDeactivatedByOperator,
    dismissedSince,
    ...(isUndone && { isUndone }),
  };
  // By index: an iterator would make an object for each rule.
  for (let index = 0; index < rules.length; index++) {
    const result = rules[index]?.(input);
    if (result) return { ...base, ...result };
  }
  return { ...base, result: 'Drifted' };
}

/** Evaluates the windows of each policy once, when a decision first depends on them. */
export function windowHolds(nowMs: number): (input: PolicyInput) => WindowHold | undefined {
  const known = new Map<PolicyInput, WindowHold | undefined>();
  return (input) => {
    if (!known.has(input)) known.set(input, holdOf(input, nowMs));
    return known.get(input);
  };
}

function holdOf({ policy, key, grant }: PolicyInput, nowMs: number): WindowHold | undefined {
  const sets = [policy.spec.correctionWindows ?? [], grant.correctionWindows ?? []];
  const state = windowState(sets, nowMs);
  switch (state.kind) {
    case 'Open':
      return undefined;
    case 'Closed':
      return { reason: 'WaitingForWindow', untilMs: state.opensAtMs };
    case 'Never':
      return { reason: 'NoWindowAhead' };
    case 'Invalid': {
      const object = state.set === 0 ? `policy ${key}` : connectionName('connection', connectionKeyOf(policy));
      return {
        reason: 'WindowInvalid',
        invalidWindow: `spec.correctionWindows[${state.window}].${state.member} of ${object}`,
      };
    }
  }
}

/** What messages say about the windows that hold these alerts. */
export function windowFacts(alerts: readonly AlertDecision[]): Pick<MessageFacts, 'opening' | 'window'> {
  const openings = alerts.flatMap(({ untilMs }) => untilMs ?? []);
  return {
    opening: openings.length === 0 ? undefined : formatTimestamp(Math.min(...openings)),
    window: alerts.find(({ invalidWindow }) => invalidWindow !== undefined)?.invalidWindow,
  };
}
