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

export function nextAfterFailure(
  { intervalMs }: ConcludeInput,
  { pace }: ReconcileFailure,
  failures: number,
  error: CodedError | undefined,
): NextReconcile {
  const delayMs = failureDelayMs(pace, { intervalMs, failures, retryAfterMs: error?.retryAfterMs });
  return { at: 'Delay', delayMs, isJittered: pace === 'backoff' };
}

export function nextSoon(failures: number): NextReconcile {
  return { at: 'Delay', delayMs: Math.min(backoffDelayMs(failures), longestErrorDelayMs), isJittered: true };
}

export function nextAfter(delayMs: number): NextReconcile {
  return { at: 'Delay', delayMs, isJittered: false };
}

export function nextAtChange({ intervalMs }: ConcludeInput, { nextChangeMs }: Plan): NextReconcile {
  return nextChangeMs === undefined ? nextAfter(intervalMs) : { at: 'Change', changeMs: nextChangeMs, intervalMs };
}
