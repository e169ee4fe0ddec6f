// Derives the Ready, Reconciling, Stalled and InSync conditions of a policy (kstatus) from the decisions for its
// alerts. The first link of `chain` that fits one of the alerts determines them.
import type { RoleAlertPolicyStatus } from '../../policy/generated/role-alert-policy.ts';
import type { AlertDecision, PolicyDecision, Result, Withheld } from '../decide/decisions.ts';
import type { ReconcileFailure } from '../decide/failures.ts';
import { windowFacts } from '../decide/rules.ts';
import { type ConditionDrafts, conditionOf, no, unknown, yes } from '../reasons/conditions.ts';
import type { MessageFacts } from '../reasons/message-facts.ts';
import type { PolicyReason } from '../reasons/reasons.ts';
import { joinNames, nameLimit } from './event-draft.ts';

export type ConditionSet = Pick<ConditionDrafts, 'Ready' | 'Reconciling' | 'Stalled' | 'InSync'>;

/** The conditions after a complete list. `isLasting`: the last list of the interval before missed an alert already. */
export function conditionsOfDecisions(
  { alerts, withheld }: Pick<PolicyDecision, 'alerts' | 'withheld'>,
  isLasting = false,
): ConditionSet {
  const set = underGrant(conditionsOfWorst(alerts), withheld);
  const { Ready, InSync } = set;
  const isMissing = Ready !== undefined && Ready !== 'keep' && Ready.reason === 'AlertNotFound';
  const notes = inSyncNotes(alerts);
  return {
    ...set,
    ...(isMissing && isLasting && { Stalled: { ...Ready, status: 'True' } }),
    ...(notes.length > 0 && InSync !== undefined && InSync !== 'keep' && { InSync: { ...InSync, notes } }),
  };
}

/**
 * Shows what the connection withholds, unless an alert needs more attention. A guard that is not granted leaves alerts
 * unguarded, which fails the policy; a mode that is not granted is how its owner observes first.
 */
function underGrant(set: ConditionSet, withheld: Withheld | undefined): ConditionSet {
  const { Ready, Stalled, InSync } = set;
  if (!withheld || Stalled) return set;
  if (withheld.guard) return { Ready: no('GuardDenied'), Stalled: yes('GuardDenied'), InSync };
  const isReady = Ready !== undefined && Ready !== 'keep' && Ready.status === 'True';
  return isReady ? { ...set, Ready: yes('ModeNotGranted') } : set;
}

function conditionsOfWorst(alerts: readonly AlertDecision[]): ConditionSet {
  for (const { fits, conditions } of chain) {
    const worst = alerts.filter(fits);
    if (worst.length > 0) return about(factsOfAlerts(worst), conditions);
  }
  return settled('Succeeded', 'InSync', 'True');
}

function factsOfAlerts(alerts: readonly AlertDecision[]): MessageFacts {
  return {
    alerts: namedAlerts(alerts),
    owners: namedOwners(alerts),
    serviceCode: alerts[0]?.serviceCode,
    ...windowFacts(alerts),
  };
}

interface Link {
  readonly result: Result;
  readonly fits: (decision: AlertDecision) => boolean;
  readonly conditions: ConditionSet;
}

/** The same conditions with messages that name these facts. */
function about(facts: MessageFacts, { Ready, Reconciling, Stalled, InSync }: ConditionSet): ConditionSet {
  const named = (draft: ConditionDrafts['Ready']) => (draft && draft !== 'keep' ? { ...draft, facts } : draft);
  return { Ready: named(Ready), Reconciling: named(Reconciling), Stalled: named(Stalled), InSync: named(InSync) };
}

/** Planned but not sent yet; a later batch or the next reconcile sends it. */
function isPlanned(decision: AlertDecision): boolean {
  return decision.result === 'Drifted' && decision.reason === undefined;
}

const verifying: ConditionSet = {
  Ready: unknown('VerifyingWrite'),
  Reconciling: yes('VerifyingWrite'),
  InSync: unknown('VerifyingWrite'),
};

const planned: ConditionSet = {
  Ready: unknown('Progressing'),
  Reconciling: yes('Progressing'),
  InSync: no('Progressing'),
};

function stalled(reason: PolicyReason): ConditionSet {
  return { Ready: no(reason), Stalled: yes(reason), InSync: no(reason) };
}

function retrying(reason: PolicyReason, reconciling: PolicyReason): ConditionSet {
  return { Ready: no(reason), Reconciling: yes(reconciling), InSync: no(reason) };
}

function settled(ready: PolicyReason, inSync: PolicyReason, status: 'True' | 'False'): ConditionSet {
  return { Ready: yes(ready), InSync: { status, reason: inSync } };
}

const missing: ConditionSet = { Ready: no('AlertNotFound'), InSync: no('AlertNotFound') };

const ofReason = (result: Result, reason: PolicyReason, conditions: ConditionSet): Link => ({
  result,
  fits: (decision) => decision.reason === reason,
  conditions,
});
const ofResult = (result: Result, conditions: ConditionSet): Link => ({
  result,
  fits: (decision) => decision.result === result,
  conditions,
});

/** From the gravest on. */
const chain: readonly Link[] = [
  ofReason('Denied', 'DeactivationDenied', stalled('DeactivationDenied')),
  ofReason('Denied', 'DismissalIncomplete', stalled('DismissalIncomplete')),
  ofReason('Denied', 'DismissalTooLong', stalled('DismissalTooLong')),
  ofReason('Denied', 'LedgerFull', stalled('LedgerFull')),
  ofResult('Conflict', stalled('ScopeConflict')),
  ofReason('Held', 'WindowInvalid', stalled('WindowInvalid')),
  ofReason('Held', 'Flapping', stalled('Flapping')),
  ofReason('Held', 'NoWindowAhead', stalled('NoWindowAhead')),
  ofReason('Failed', 'CorrectionFailed', retrying('CorrectionFailed', 'CorrectionFailed')),
  ofReason('Failed', 'ServiceUnreachable', retrying('ServiceUnreachable', 'ServiceUnreachable')),
  ofReason('Failed', 'WriteNotVerified', retrying('WriteNotVerified', 'RetryingWrite')),
  ofReason('Held', 'CorrectionUndone', retrying('CorrectionUndone', 'RetryingWrite')),
  ofResult('Pending', verifying),
  { result: 'Drifted', fits: isPlanned, conditions: planned },
  ofResult('Missing', missing),
  ofReason('Held', 'DeactivationLimited', settled('DeactivationLimited', 'DeactivationLimited', 'False')),
  ofReason('Held', 'WaitingForWindow', settled('WaitingForWindow', 'OutsideWindow', 'False')),
  ofReason('Drifted', 'ObserveOnly', settled('Observed', 'ObserveOnly', 'False')),
];

/** The result of the alerts that this reason of InSync is about; undefined when it is about none. */
export function resultShownBy(inSync: string): Result | undefined {
  return chain.find(({ conditions: { InSync } }) => InSync !== 'keep' && InSync?.reason === inSync)?.result;
}

/** The conditions after a failed reconcile. `isStale`: no complete list for three intervals. */
export function conditionsOfFailure(
  failure: ReconcileFailure,
  isStale: boolean,
  previous: RoleAlertPolicyStatus,
): ConditionSet {
  const { reason, serviceCode, connection: cause } = failure;
  const facts = { serviceCode, cause };
  switch (failure.kind) {
    case 'stalled':
      return about(facts, conditionsWithoutList(reason));
    case 'retrying': {
      const ready = reason === 'InternalError' ? unknown(reason) : no(reason);
      const InSync = kept(previous, 'InSync');
      return about(facts, { Ready: ready, Reconciling: yes(reason), InSync });
    }
    case 'throttled':
      return whileThrottled(isStale, previous);
  }
}

/** A pause keeps what the last reconcile found. */
function whileThrottled(isStale: boolean, previous: RoleAlertPolicyStatus): ConditionSet {
  return {
    Ready: isStale ? unknown('Stale') : (kept(previous, 'Ready') ?? unknown('Throttled')),
    Reconciling: 'keep',
    Stalled: kept(previous, 'Stalled'),
    InSync: kept(previous, 'InSync'),
  };
}

/**
 * Undefined for a condition that the reconcile disproves although it has no list: the policy is not suspended any more, or
 * its connection exists. InSync is then absent, as before the first complete list.
 */
function kept(previous: RoleAlertPolicyStatus, type: 'Ready' | 'Stalled' | 'InSync'): 'keep' | undefined {
  const reason = conditionOf(previous, type)?.reason;
  return reason === 'Suspended' || reason === 'ConnectionNotFound' || reason === 'ConnectionDeleting'
    ? undefined
    : 'keep';
}

/** Ready, because nothing is left to do, as for a suspended object of Flux. */
export const conditionsOfSuspension: ConditionSet = { Ready: yes('Suspended'), InSync: unknown('Suspended') };

/** The scope is not listed until a user changes something. */
export function conditionsWithoutList(reason: PolicyReason): ConditionSet {
  return { Ready: no(reason), Stalled: yes(reason), InSync: unknown(reason) };
}

/** Only the alerts in the ledger of the connection are still activated. */
export const conditionsOfDeletingConnection: ConditionSet = {
  Ready: no('ConnectionDeleting'),
  Stalled: yes('ConnectionDeleting'),
  InSync: 'keep',
};

const notes: readonly { readonly fits: (decision: AlertDecision) => boolean; readonly text: string }[] = [
  {
    fits: ({ want, result }) => want.source === 'DismissalExpired' && result === 'InSync',
    text: 'active although declared Inactive, because the dismissal has ended. Extend `until`, or declare the state Active.',
  },
  {
    fits: ({ want, result }) => want.source === 'NewIncidents' && result === 'InSync',
    text: 'active although declared Inactive, because incidents exceed the bound of the dismissal. Handle the incidents, or extend the dismissal.',
  },
  {
    fits: ({ isUndone, result }) => isUndone === true && result === 'InSync',
    text: 'active, but deactivated by another client again and again. Find out which client (lastDrift in status.alerts).',
  },
  {
    fits: ({ want, alert }) => want.state === 'Inactive' && !alert,
    text: 'declared Inactive, but not listed by the service. Check the name, or remove it from the spec.',
  },
];

/** What the message of InSync adds about alerts that are in sync for a reason that the spec does not show: a dismissal that is not in force, or a name that the service does not list; and about those that other clients keep deactivating between two lists. It changes only with the spec and the alerts. */
export function inSyncNotes(decisions: readonly AlertDecision[]): string[] {
  return notes.flatMap(({ fits, text }) => {
    const alerts = decisions.filter(fits);
    return alerts.length === 0 ? [] : [`${namedAlerts(alerts)}: ${text}`];
  });
}

/** `Alert A`, or `Alerts A, B, C, D, E and 2 more`. */
export function namedAlerts(decisions: readonly AlertDecision[]): string {
  const names = decisions.map(({ name }) => name).sort();
  return `${names.length === 1 ? 'Alert' : 'Alerts'} ${joinNames(names, nameLimit)}`;
}

/** `policy a/b`, or `policies a/b and c/d`; undefined when no other policy owns one of the alerts. */
export function namedOwners(decisions: readonly AlertDecision[]): string | undefined {
  const owners = [...new Set(decisions.flatMap(({ ownerKey }) => ownerKey ?? []))].sort();
  if (owners.length === 0) return undefined;
  return `${owners.length === 1 ? 'policy' : 'policies'} ${joinNames(owners, nameLimit)}`;
}
