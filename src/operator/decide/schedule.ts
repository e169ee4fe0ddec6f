// When a scope is reconciled again: the delays of retries, and the moments at which time alone changes what policies declare. These are
// known without a list, so that a reconcile without one comes back for them, however slow its retry is.
import { doublingMs, parseDuration } from '../../lib/duration.ts';
import { dismissalEndMs, needsEnd } from '../../policy/dismissal.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { suspensionEndMs } from '../../policy/suspension.ts';
import type { PolicyInput } from './decisions.ts';
import type { RetryPace } from './failures.ts';

const longestSlowDelayMs = 3_600_000;
/** While the connection waits as a whole, its trials (connection/connection-state.ts) decide instead. */
const credentialCheckMs = 30_000;
const firstBackoffMs = 1000;
const longestBackoffMs = 300_000;
const throttleFloorMs = 5000;
const firstForbiddenMs = 120_000;

/** When a scope is reconciled again; an event may bring it forward. */
export type NextReconcile =
  | { readonly at: 'Event' }
  /** After the delay, or earlier at that moment (milliseconds since 1970). */
  | {
      readonly at: 'Delay';
      readonly delayMs: number;
      readonly isJittered: boolean;
      readonly changeMs?: number | undefined;
    }
  /** At the end of the pause, or earlier: at that moment, or to show that the status has become stale. */
  | { readonly at: 'PauseEnd'; readonly intervalMs: number; readonly changeMs: number | undefined };

const staleIntervals = 3;

/** The policy's interval, or the operator's default, raised to the connection's minimum; milliseconds. */
export function policyIntervalMs(policy: RoleAlertPolicy, connection: AnyConnection, defaultMs: number): number {
  const asked = parseDuration(policy.spec.interval ?? '') ?? defaultMs;
  return Math.max(asked, parseDuration(connection.spec.limits.minInterval) ?? asked);
}

/** The delay after a failed reconcile, in milliseconds. `failures`: how many failed in a row, at least 1. */
export function failureDelayMs(
  pace: RetryPace,
  facts: { intervalMs: number; failures: number; retryAfterMs: number | undefined },
): number {
  switch (pace) {
    case 'after-interval':
      return slowDelayMs(facts.intervalMs);
    case 'forbidden':
      // A new grant can take minutes to reach the service.
      return doublingMs(facts.failures, firstForbiddenMs, slowDelayMs(facts.intervalMs));
    case 'credential':
      return credentialCheckMs;
    case 'retry-after':
      return Math.max(facts.retryAfterMs ?? throttleFloorMs, throttleFloorMs);
    case 'backoff':
      return backoffDelayMs(facts.failures);
  }
}

/** 1 s, 2 s, 4 s … up to 5 min. */
export function backoffDelayMs(failures: number): number {
  return doublingMs(failures, firstBackoffMs, longestBackoffMs);
}

/** Milliseconds until the last complete list is stale; negative once it is. */
export function freshLeftMs(
  { lastListMs }: { readonly lastListMs: number },
  { intervalMs, monotonicMs }: { readonly intervalMs: number; readonly monotonicMs: number },
): number {
  return lastListMs + staleIntervals * intervalMs - monotonicMs;
}

/**
 * The delay for a failure that probably only a user's change ends, in milliseconds. The
 * specification lists no error codes (section 7), so a retry may succeed after all.
 */
export function slowDelayMs(intervalMs: number): number {
  return Math.max(intervalMs, Math.min(4 * intervalMs, longestSlowDelayMs));
}

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
    return [endMs, endMs - endingNoticeMs, needsEnd(dismissal, grant) ? endMs - grant.maxDismissalMs : undefined];
  });
}
