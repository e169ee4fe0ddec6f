// From what was decided for each alert to the one verdict of a policy: Ready, Reconciling, Stalled and InSync, as the table
// "Conditions and kstatus" of the design has them. The first verdict that fits counts.
import type { ConditionDraft, ConditionDrafts } from './conditions.ts';
import type { LookFailure } from './failures.ts';
import type { PolicyReason } from './reasons.ts';
import type { AlertDecision } from './types.ts';

export interface Verdict {
  readonly drafts: Pick<ConditionDrafts, 'Ready' | 'Reconciling' | 'Stalled' | 'InSync'>;
  /** True when the spec was fully decided, or is stalled: only then `observedGeneration` moves. */
  readonly isDecided: boolean;
}

/** After a whole list. */
export function verdictOfDecisions(alerts: readonly AlertDecision[]): Verdict {
  for (const { fits, verdict } of chain) {
    const found = alerts.find(fits);
    if (found) return verdict(found);
  }
  return settled('Succeeded', 'InSync', 'True');
}

interface Link {
  readonly fits: (decision: AlertDecision) => boolean;
  readonly verdict: (decision: AlertDecision) => Verdict;
}

const reasonIs = (reason: AlertDecision['reason']) => (decision: AlertDecision) => decision.reason === reason;
const resultIs = (result: AlertDecision['result']) => (decision: AlertDecision) => decision.result === result;

const chain: readonly Link[] = [
  { fits: reasonIs('DeactivationDenied'), verdict: () => stalled('DeactivationDenied') },
  { fits: reasonIs('DismissalIncomplete'), verdict: () => stalled('DismissalIncomplete') },
  { fits: reasonIs('DismissalTooLong'), verdict: () => stalled('DismissalTooLong') },
  { fits: reasonIs('LedgerFull'), verdict: () => stalled('LedgerFull') },
  { fits: resultIs('Conflict'), verdict: () => stalled('ScopeConflict') },
  { fits: reasonIs('Flapping'), verdict: () => stalled('Flapping') },
  {
    fits: reasonIs('CorrectionFailed'),
    verdict: ({ serviceCode }) => retrying('CorrectionFailed', 'CorrectionFailed', serviceCode),
  },
  { fits: reasonIs('ServiceUnreachable'), verdict: () => retrying('ServiceUnreachable', 'ServiceUnreachable') },
  { fits: reasonIs('WriteNotVerified'), verdict: () => retrying('WriteNotVerified', 'RetryingWrite') },
  { fits: reasonIs('CorrectionUndone'), verdict: () => retrying('CorrectionUndone', 'RetryingWrite') },
  { fits: resultIs('Pending'), verdict: () => verifying },
  { fits: (decision) => isPlanned(decision), verdict: () => waiting('Progressing') },
  { fits: reasonIs('WaitingForOwner'), verdict: () => waiting('WaitingForOwner') },
  {
    fits: resultIs('Missing'),
    verdict: () => ({
      drafts: { Ready: no('AlertNotFound'), InSync: no('AlertNotFound') },
      isDecided: true,
    }),
  },
  {
    fits: reasonIs('DeactivationLimited'),
    verdict: () => settled('DeactivationLimited', 'DeactivationLimited', 'False'),
  },
  { fits: reasonIs('WaitingForClaims'), verdict: () => waiting('WaitingForClaims') },
  { fits: reasonIs('ObserveOnly'), verdict: () => settled('Observed', 'ObserveOnly', 'False') },
];

/** Planned and not sent: a later batch sends it, or the next reconcile, because its plan was outdated or the verifying list found it. */
function isPlanned(decision: AlertDecision): boolean {
  return decision.result === 'Drifted' && decision.reason === undefined;
}

const no = (reason: PolicyReason, serviceCode?: string): ConditionDraft => ({ status: 'False', reason, serviceCode });
const yes = (reason: PolicyReason): ConditionDraft => ({ status: 'True', reason });
const unknown = (reason: PolicyReason): ConditionDraft => ({ status: 'Unknown', reason });

const verifying: Verdict = {
  drafts: { Ready: unknown('VerifyingWrite'), Reconciling: yes('VerifyingWrite'), InSync: unknown('VerifyingWrite') },
  isDecided: false,
};

/** The policy is decided soon: a correction is planned, or another connection has to act or to be heard first. */
function waiting(reason: PolicyReason): Verdict {
  return { drafts: { Ready: unknown(reason), Reconciling: yes(reason), InSync: no(reason) }, isDecided: false };
}

function stalled(reason: PolicyReason): Verdict {
  return { drafts: { Ready: no(reason), Stalled: yes(reason), InSync: no(reason) }, isDecided: true };
}

function retrying(reason: PolicyReason, reconciling: PolicyReason, serviceCode?: string): Verdict {
  return {
    drafts: { Ready: no(reason, serviceCode), Reconciling: yes(reconciling), InSync: no(reason, serviceCode) },
    isDecided: true,
  };
}

function settled(ready: PolicyReason, inSync: PolicyReason, status: 'True' | 'False'): Verdict {
  return { drafts: { Ready: yes(ready), InSync: { status, reason: inSync } }, isDecided: true };
}

/** After a look that failed. `isStale`: no whole list for three intervals. */
export function verdictOfFailure(failure: LookFailure, isStale: boolean): Verdict {
  const { reason, serviceCode } = failure;
  switch (failure.kind) {
    case 'stalled':
      return {
        drafts: {
          Ready: no(reason, serviceCode),
          Stalled: { ...yes(reason), serviceCode },
          InSync: unknown(reason),
        },
        isDecided: true,
      };
    case 'retrying': {
      const ready = reason === 'InternalError' ? unknown(reason) : no(reason);
      return { drafts: { Ready: ready, Reconciling: yes(reason), InSync: 'keep' }, isDecided: false };
    }
    case 'throttled':
      return {
        drafts: { Ready: isStale ? unknown('Stale') : 'keep', Reconciling: 'keep', Stalled: 'keep', InSync: 'keep' },
        isDecided: false,
      };
  }
}

/** `wasDecided`: an earlier reconcile decided the policy. Without one nothing is known of its scope, and a wait for Ready must not pass. */
export function verdictOfSuspension(wasDecided: boolean): Verdict {
  const ready = wasDecided ? yes('Suspended') : unknown('Suspended');
  return { drafts: { Ready: ready, InSync: unknown('Suspended') }, isDecided: wasDecided };
}

export const verdictOfMissingConnection: Verdict = {
  drafts: {
    Ready: no('ConnectionNotFound'),
    Stalled: yes('ConnectionNotFound'),
    InSync: unknown('ConnectionNotFound'),
  },
  isDecided: true,
};
