// When the next reconcile of a scope follows.
import type { CodedError } from '../lib/errors.ts';
import type { ConcludeInput } from './conclusion.ts';
import type { Plan } from './decisions.ts';
import type { ReconcileFailure } from './failures.ts';
import { backoffDelayMs, failureDelayMs, type NextReconcile } from './schedule.ts';

/** With jitter 30 s: the longest delay of a status write after the API server has recovered. */
const longestErrorDelayMs = 25_000;

export const onEvent: NextReconcile = { at: 'Event' };
export const atOnce: NextReconcile = { at: 'Delay', delayMs: 0, isJittered: false };

/** `failures`: consecutive ones, this one included. */
export function nextAfterFailure(
  { intervalMs }: ConcludeInput,
  { pace }: ReconcileFailure,
  failures: number,
  error: CodedError | undefined,
): NextReconcile {
  const delayMs = failureDelayMs(pace, { intervalMs, failures, retryAfterMs: error?.retryAfterMs });
  return { at: 'Delay', delayMs, isJittered: pace === 'backoff' };
}

/** One second doubling to 25 s, with jitter. */
export function nextSoon(failures: number): NextReconcile {
  return { at: 'Delay', delayMs: Math.min(backoffDelayMs(failures), longestErrorDelayMs), isJittered: true };
}

/** Exactly after `delayMs`. */
export function nextAfter(delayMs: number): NextReconcile {
  return { at: 'Delay', delayMs, isJittered: false };
}

/** When time alone changes a decision, and at the latest after the interval. */
export function nextAtChange({ intervalMs }: ConcludeInput, { nextChangeMs }: Plan): NextReconcile {
  return nextChangeMs === undefined ? nextAfter(intervalMs) : { at: 'Change', changeMs: nextChangeMs, intervalMs };
}
