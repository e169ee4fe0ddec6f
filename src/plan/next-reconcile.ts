// When the next reconcile of a scope follows.
import type { CodedError } from '../lib/errors.ts';
import type { ConcludeInput } from './conclusion.ts';
import type { ReconcileFailure } from './failures.ts';
import { firstEndMs } from './known-ends.ts';
import { backoffDelayMs, failureDelayMs, type NextReconcile } from './schedule.ts';

/** With jitter 30 s: the longest delay of a status write after the API server has recovered. */
const longestErrorDelayMs = 25_000;

export const onEvent: NextReconcile = { at: 'Event' };
export const atOnce: NextReconcile = { at: 'Delay', delayMs: 0, isJittered: false };

/** `failures`: consecutive ones, this one included. The end of a dismissal or a suspension does not wait for a slow retry. */
export function nextAfterFailure(
  input: ConcludeInput,
  { pace }: ReconcileFailure,
  failures: number,
  error: CodedError | undefined,
): NextReconcile {
  const { intervalMs, policies, gatheredMs } = input;
  const delayMs = failureDelayMs(pace, { intervalMs, failures, retryAfterMs: error?.retryAfterMs });
  if (pace === 'after-interval' || pace === 'forbidden') return nextAt(firstEndMs(policies, gatheredMs), delayMs);
  return { at: 'Delay', delayMs, isJittered: pace === 'backoff' };
}

/** One second doubling to 25 s, with jitter. */
export function nextSoon(failures: number): NextReconcile {
  return { at: 'Delay', delayMs: Math.min(backoffDelayMs(failures), longestErrorDelayMs), isJittered: true };
}

/** At that moment, and at the latest after `delayMs`. */
export function nextAt(changeMs: number | undefined, delayMs: number): NextReconcile {
  return { at: 'Delay', delayMs, isJittered: false, changeMs };
}
