// The next moment at which time alone changes a decision. The scope is reconciled then, even before its interval ends.
import { canonicalName } from '../alerts/resource-id.ts';
import { dismissalEndMs, namesIncidents } from '../policy/dismissal.ts';
import { suspensionEndMs } from '../policy/suspension.ts';
import { mayActivateAgainAtMs } from './activation-backoff.ts';
import type { Plan, PolicyDecision } from './decisions.ts';
import { endingNoticeMs } from './dismissal-ending.ts';
import { earliestOf } from './known-ends.ts';
import type { PlanInput, PolicyInput } from './plan-input.ts';
import { dampedUntilMs } from './recent-deactivations.ts';
import { nextWriteCheckMs } from './writes.ts';

/** The earliest such moment after `nowMs`, in milliseconds since 1970, or undefined. `others`: further candidates. */
export function nextChange(
  input: PlanInput,
  planned: Omit<Plan, 'nextChangeMs'>,
  others: readonly number[],
): number | undefined {
  const moments: (number | undefined)[] = [
    ...others,
    ...input.policies.flatMap((policy) => [...dismissalMoments(policy), suspensionMoment(policy, input.nowMs)]),
    ...planned.policies.flatMap((decision) => heldMoments(input, decision)),
    ...[...input.sent.values()].map((write) => nextWriteCheckMs(write, input.intervalMs, input.nowMs)),
  ];
  const ahead = moments.filter((moment) => moment !== undefined).filter((moment) => moment > input.nowMs);
  // Actions that are still planned after this reconcile are due soon.
  if (planned.actions.length > 0) ahead.push(input.nowMs + 1000);
  return earliestOf(ahead);
}

/** A suspension that ended during the list counts from the next plan on, which is due at once. */
function suspensionMoment({ policy, isSuspended }: PolicyInput, nowMs: number): number | undefined {
  const endMs = suspensionEndMs(policy.spec);
  return isSuspended && endMs !== undefined ? Math.max(endMs, nowMs + 1) : endMs;
}

function dismissalMoments({ policy, grant }: PolicyInput): (number | undefined)[] {
  return (policy.spec.alerts ?? []).flatMap(({ dismissal }) => {
    const endMs = dismissal && dismissalEndMs(dismissal);
    if (endMs === undefined || !dismissal) return [];
    return [endMs, endMs - endingNoticeMs, namesIncidents(dismissal) ? undefined : endMs - grant.maxDismissalMs];
  });
}

/** When each decision that is held now may change. */
function heldMoments(input: PlanInput, { policy, alerts }: PolicyDecision): (number | undefined)[] {
  return alerts.map(({ name, reason, opensAtMs }) => {
    switch (reason) {
      case 'Flapping':
      case 'CorrectionFailed':
        return dampedUntilMs(policy, input.recentDeactivations.get(canonicalName(name)) ?? [], input.nowMs);
      case 'DeactivationLimited':
        return input.nextDeactivationMs;
      case 'WaitingForWindow':
        return opensAtMs;
      case 'CorrectionUndone': {
        const activationBackoff = input.activationBackoffs.get(canonicalName(name));
        return activationBackoff && mayActivateAgainAtMs(activationBackoff, input.intervalMs, input.nowMs);
      }
      default:
        return undefined;
    }
  });
}
