// Derives the Ready, Reconciling, Stalled and InSync conditions of a policy (kstatus) from the decisions for its
// alerts. The first link of `chain` that fits one of the alerts determines them.
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { type ConditionDraft, type ConditionDrafts, conditionOf } from './conditions.ts';
import type { AlertDecision, PolicyDecision, Withheld } from './decisions.ts';
import type { ReconcileFailure } from './failures.ts';
import { inSyncNotes, namedAlerts, namedOwners } from './in-sync-notes.ts';
import type { MessageFacts } from './message-facts.ts';
import type { PolicyReason, Reason } from './reasons.ts';
import { windowFacts } from './windows.ts';

export interface ConditionSet {
  readonly drafts: Pick<ConditionDrafts, 'Ready' | 'Reconciling' | 'Stalled' | 'InSync'>;
  /**
   * False while a decision is open: a correction is planned or unverified, or the list failed in a way that may recover. `observedGeneration` advances only when it is true.
   */
  readonly isDecided: boolean;
}

/** The conditions after a complete list. */
export function conditionsOfDecisions({ alerts, withheld }: Pick<PolicyDecision, 'alerts' | 'withheld'>): ConditionSet {
  const { drafts, isDecided } = underGrant(conditionsOfWorst(alerts), withheld);
  const notes = inSyncNotes(alerts);
  const { InSync } = drafts;
  if (notes.length === 0 || InSync === undefined || InSync === 'keep') return { drafts, isDecided };
  return { drafts: { ...drafts, InSync: { ...InSync, notes } }, isDecided };
}

/**
 * Shows what the connection withholds, unless an alert needs more attention. A guard that is not granted leaves alerts
 * unguarded, which fails the policy; a mode that is not granted is how its owner observes first.
 */
function underGrant(set: ConditionSet, withheld: Withheld | undefined): ConditionSet {
  const { Ready, Reconciling: _, Stalled, InSync } = set.drafts;
  if (!withheld || Stalled) return set;
  if (withheld.guard)
    return { drafts: { Ready: no('GuardDenied'), Stalled: yes('GuardDenied'), InSync }, isDecided: true };
  const isReady = Ready !== undefined && Ready !== 'keep' && Ready.status === 'True';
  return isReady ? { ...set, drafts: { ...set.drafts, Ready: yes('ModeNotGranted') } } : set;
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
  readonly fits: (decision: AlertDecision) => boolean;
  readonly conditions: ConditionSet;
}

/** The same conditions with messages that name these facts. */
function about(facts: MessageFacts, { drafts, isDecided }: ConditionSet): ConditionSet {
  const { Ready, Reconciling, Stalled, InSync } = drafts;
  const named = (draft: ConditionDrafts['Ready']) => (draft && draft !== 'keep' ? { ...draft, facts } : draft);
  const all = { Ready: named(Ready), Reconciling: named(Reconciling), Stalled: named(Stalled), InSync: named(InSync) };
  return { drafts: all, isDecided };
}

const reasonIs = (reason: AlertDecision['reason']) => (decision: AlertDecision) => decision.reason === reason;
const resultIs = (result: AlertDecision['result']) => (decision: AlertDecision) => decision.result === result;

/** Planned but not sent yet; a later batch or the next reconcile sends it. */
function isPlanned(decision: AlertDecision): boolean {
  return decision.result === 'Drifted' && decision.reason === undefined;
}

const no = (reason: PolicyReason): ConditionDraft => ({ status: 'False', reason });
const yes = (reason: PolicyReason): ConditionDraft => ({ status: 'True', reason });
const unknown = (reason: Reason): ConditionDraft => ({ status: 'Unknown', reason });

const verifying: ConditionSet = {
  drafts: { Ready: unknown('VerifyingWrite'), Reconciling: yes('VerifyingWrite'), InSync: unknown('VerifyingWrite') },
  isDecided: false,
};

const planned: ConditionSet = {
  drafts: { Ready: unknown('Progressing'), Reconciling: yes('Progressing'), InSync: no('Progressing') },
  isDecided: false,
};

function stalled(reason: PolicyReason): ConditionSet {
  return { drafts: { Ready: no(reason), Stalled: yes(reason), InSync: no(reason) }, isDecided: true };
}

function retrying(reason: PolicyReason, reconciling: PolicyReason): ConditionSet {
  return { drafts: { Ready: no(reason), Reconciling: yes(reconciling), InSync: no(reason) }, isDecided: true };
}

function settled(ready: PolicyReason, inSync: PolicyReason, status: 'True' | 'False'): ConditionSet {
  return { drafts: { Ready: yes(ready), InSync: { status, reason: inSync } }, isDecided: true };
}

/** From the gravest on. */
const chain: readonly Link[] = [
  { fits: reasonIs('DeactivationDenied'), conditions: stalled('DeactivationDenied') },
  { fits: reasonIs('DismissalIncomplete'), conditions: stalled('DismissalIncomplete') },
  { fits: reasonIs('DismissalTooLong'), conditions: stalled('DismissalTooLong') },
  { fits: reasonIs('LedgerFull'), conditions: stalled('LedgerFull') },
  { fits: resultIs('Conflict'), conditions: stalled('ScopeConflict') },
  { fits: reasonIs('WindowInvalid'), conditions: stalled('WindowInvalid') },
  { fits: reasonIs('Flapping'), conditions: stalled('Flapping') },
  { fits: reasonIs('NoWindowAhead'), conditions: stalled('NoWindowAhead') },
  {
    fits: reasonIs('CorrectionFailed'),
    conditions: retrying('CorrectionFailed', 'CorrectionFailed'),
  },
  { fits: reasonIs('ServiceUnreachable'), conditions: retrying('ServiceUnreachable', 'ServiceUnreachable') },
  { fits: reasonIs('WriteNotVerified'), conditions: retrying('WriteNotVerified', 'RetryingWrite') },
  { fits: reasonIs('CorrectionUndone'), conditions: retrying('CorrectionUndone', 'RetryingWrite') },
  { fits: resultIs('Pending'), conditions: verifying },
  { fits: (decision) => isPlanned(decision), conditions: planned },
  {
    fits: resultIs('Missing'),
    conditions: { drafts: { Ready: no('AlertNotFound'), InSync: no('AlertNotFound') }, isDecided: true },
  },
  {
    fits: reasonIs('DeactivationLimited'),
    conditions: settled('DeactivationLimited', 'DeactivationLimited', 'False'),
  },
  {
    fits: reasonIs('WaitingForWindow'),
    conditions: settled('WaitingForWindow', 'OutsideWindow', 'False'),
  },
  { fits: reasonIs('ObserveOnly'), conditions: settled('Observed', 'ObserveOnly', 'False') },
];

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
      return about(facts, {
        drafts: { Ready: no(reason), Stalled: yes(reason), InSync: unknown(reason) },
        isDecided: true,
      });
    case 'retrying': {
      const ready = reason === 'InternalError' ? unknown(reason) : no(reason);
      const InSync = kept(previous, 'InSync');
      return about(facts, { drafts: { Ready: ready, Reconciling: yes(reason), InSync }, isDecided: false });
    }
    case 'throttled':
      return { drafts: throttledDrafts(isStale, previous), isDecided: false };
  }
}

/** A pause keeps what the last reconcile found. */
function throttledDrafts(isStale: boolean, previous: RoleAlertPolicyStatus): ConditionSet['drafts'] {
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

/**
 * `wasDecided`: the last reconcile before the suspension decided the policy. Otherwise its state is unknown, and `kubectl wait` for Ready
 * must not succeed.
 */
export function conditionsOfSuspension(wasDecided: boolean): ConditionSet {
  const ready = wasDecided ? yes('Suspended') : unknown('Suspended');
  return { drafts: { Ready: ready, InSync: unknown('Suspended') }, isDecided: wasDecided };
}

/** No entry of the connection's access lets the policy list its scope. */
export const conditionsOfDeniedAccess: ConditionSet = {
  drafts: { Ready: no('AccessDenied'), Stalled: yes('AccessDenied'), InSync: unknown('AccessDenied') },
  isDecided: true,
};

export const conditionsOfMissingConnection: ConditionSet = {
  drafts: {
    Ready: no('ConnectionNotFound'),
    Stalled: yes('ConnectionNotFound'),
    InSync: unknown('ConnectionNotFound'),
  },
  isDecided: true,
};

/** Only the alerts in the ledger of the connection are still activated. */
export const conditionsOfDeletingConnection: ConditionSet = {
  drafts: { Ready: no('ConnectionDeleting'), Stalled: yes('ConnectionDeleting'), InSync: 'keep' },
  isDecided: true,
};
