// Moments at which time alone changes what policies declare: ends of suspensions and dismissals. They are known without a list, so
// that a reconcile without one comes back for them, however slow its retry is.
import { dismissalEndMs, namesIncidents } from '../../policy/dismissal.ts';
import { suspensionEndMs } from '../../policy/suspension.ts';
import type { PolicyInput } from './plan-input.ts';

/** How long before its end a dismissal is announced. */
export const endingNoticeMs = 7 * 24 * 3_600_000;

/** The first of them after `nowMs`, in milliseconds since 1970; undefined without one. */
export function firstEndMs(policies: readonly PolicyInput[], nowMs: number): number | undefined {
  return earliestAfter(nowMs, [suspensionEndOf(policies, nowMs), ...policies.flatMap(dismissalMoments)]);
}

/** The first end of a suspension; one that is over ended since the gathering, and counts from the next plan on. */
export function suspensionEndOf(policies: readonly PolicyInput[], nowMs: number): number | undefined {
  const ends = policies.map(({ policy, isSuspended }) => {
    const endMs = suspensionEndMs(policy.spec);
    return isSuspended && endMs !== undefined ? Math.max(endMs, nowMs + 1) : endMs;
  });
  return earliestAfter(nowMs, ends);
}

/** Not with `Math.min`, which takes some 100,000 arguments at most: one scope may have more moments. */
export function earliestAfter(nowMs: number, moments: readonly (number | undefined)[]): number | undefined {
  const earliestMs = moments.reduce<number>(
    (earliest, moment = nowMs) => (moment > nowMs && moment < earliest ? moment : earliest),
    Infinity,
  );
  return earliestMs === Infinity ? undefined : earliestMs;
}

/** The notice of the end, the end, and when the connection allows it at last. */
function dismissalMoments({ policy, grant }: PolicyInput): (number | undefined)[] {
  return (policy.spec.alerts ?? []).flatMap(({ dismissal }) => {
    const endMs = dismissal && dismissalEndMs(dismissal);
    if (endMs === undefined || !dismissal) return [];
    return [endMs, endMs - endingNoticeMs, namesIncidents(dismissal) ? undefined : endMs - grant.maxDismissalMs];
  });
}
