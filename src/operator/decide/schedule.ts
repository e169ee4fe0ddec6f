// Delays until the next reconcile of a scope.
import { doublingMs, parseDuration } from '../../lib/duration.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import type { RetryPace } from './failures.ts';

const longestSlowDelayMs = 3_600_000;
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
