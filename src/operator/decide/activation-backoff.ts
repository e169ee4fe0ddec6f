// The back-off for alerts that other clients keep deactivating: each activation waits longer than the last, up to one
// interval. The operator never stops activating. The back-off is in memory only, so the first activation after a
// restart is immediate.
import { canonicalName } from '../../alerts/resource-id.ts';
import { doublingMs } from '../../lib/duration.ts';
import type { Correction, ActivationBackoff } from './memory.ts';

const firstDelayMs = 1000;

/**
 * When the operator may activate the alert again, in milliseconds since 1970. It may now when that is not after
 * `nowMs`, as it is after the clock stepped back.
 */
export function mayActivateAgainAtMs({ count, lastMs }: ActivationBackoff, intervalMs: number, nowMs: number): number {
  if (nowMs < lastMs) return nowMs;
  return lastMs + doublingMs(count, firstDelayMs, intervalMs);
}

/** True from the third activation in a row on. */
export function isOftenUndone(activationBackoff: ActivationBackoff | undefined): boolean {
  return (activationBackoff?.count ?? 0) >= 3;
}

/** Adds verified activations. Drops those older than two intervals: nothing undid them. */
export function nextActivationBackoffs(
  activationBackoffs: ReadonlyMap<string, ActivationBackoff>,
  corrections: readonly Correction[],
  intervalMs: number,
  nowMs: number,
): Map<string, ActivationBackoff> {
  const next = new Map([...activationBackoffs].filter(([, { lastMs }]) => Math.abs(nowMs - lastMs) <= 2 * intervalMs));
  for (const { alert, isActive, cause } of corrections) {
    if (!isActive || (cause !== 'Declared' && cause !== 'Unlisted')) continue;
    const key = canonicalName(alert);
    next.set(key, { count: (next.get(key)?.count ?? 0) + 1, lastMs: nowMs });
  }
  return next;
}
