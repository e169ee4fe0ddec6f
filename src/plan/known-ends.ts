// Ends of suspensions and dismissals, which are known without a list. A reconcile without one comes back for them, however slow its
// retry is.
import { dismissalEndMs } from '../policy/dismissal.ts';
import { suspensionEndMs } from '../policy/suspension.ts';
import type { ConcludeInput } from './conclusion.ts';

type Known = Pick<ConcludeInput, 'policies' | 'gatheredMs'>;

/** In milliseconds since 1970. One that is over ended during the reconcile. */
export function suspensionEnds({ policies }: Pick<Known, 'policies'>): number[] {
  return policies.flatMap(({ policy, isSuspended }) => (isSuspended ? (suspensionEndMs(policy.spec) ?? []) : []));
}

/** The first end of a suspension or of a dismissal after the gathering; undefined without one. */
export function firstEndMs({ policies, gatheredMs }: Known): number | undefined {
  const dismissals = policies
    .flatMap(({ policy }) => policy.spec.alerts ?? [])
    .flatMap(({ dismissal }) => (dismissal && dismissalEndMs(dismissal)) ?? [])
    .filter((endMs) => endMs > gatheredMs);
  return earliestOf([...suspensionEnds({ policies }), ...dismissals]);
}

/** Not with `Math.min`, which takes some 100,000 arguments at most: one scope may have more moments. */
export function earliestOf(moments: readonly number[]): number | undefined {
  const earliestMs = moments.reduce((earliest, moment) => Math.min(earliest, moment), Infinity);
  return earliestMs === Infinity ? undefined : earliestMs;
}
