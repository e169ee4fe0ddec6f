// When the next reconcile of a scope follows.
import type { CodedError } from '../../lib/errors.ts';
import type { ConcludeInput } from './conclusion.ts';
import type { ReconcileFailure } from './failures.ts';
import { firstEndMs } from './known-ends.ts';
import { failureDelayMs, type NextReconcile } from './schedule.ts';

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

/** At that moment, and at the latest after `delayMs`. */
export function nextAt(changeMs: number | undefined, delayMs: number): NextReconcile {
  return { at: 'Delay', delayMs, isJittered: false, changeMs };
}
