// When time alone changes what is decided, so that the pass is looked at again then and not only at its interval.
import { dismissalEndMs, isBoundByTimeAlone } from '../policy/dismissal.ts';
import type { Plan, PlanInput, PolicyInput } from './types.ts';
import { nextWriteLookMs } from './writes.ts';

/** The earliest such moment after now in milliseconds since 1970, or undefined. */
export function nextChange(input: PlanInput, planned: Pick<Plan, 'actions' | 'settled'>): number | undefined {
  const moments = [
    ...input.policies.flatMap(dismissalMoments),
    ...[...input.sent.values()].map((write) => nextWriteLookMs(write, input.intervalMs, input.nowMs)),
  ].filter((moment) => moment > input.nowMs);
  // What is still to be sent after this pass is looked at at once.
  if (planned.actions.length > 0) moments.push(input.nowMs + 1000);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

function dismissalMoments({ policy, grant }: PolicyInput): number[] {
  return (policy.spec.alerts ?? []).flatMap(({ dismissal }) => {
    const endMs = dismissal && dismissalEndMs(dismissal);
    if (endMs === undefined || !dismissal) return [];
    return isBoundByTimeAlone(dismissal) ? [endMs, endMs - grant.maxDismissalMs] : [endMs];
  });
}
