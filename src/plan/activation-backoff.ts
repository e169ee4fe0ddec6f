// Alerts that are activated again and again because somebody keeps deactivating them: each repetition waits longer, up to the
// interval, and none is the last. Kept in memory only: after a restart the first one is at once.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Correction, ActivationBackoff } from './memory.ts';

const firstDelayMs = 1000;

/** When the alert may be activated again; in the past when it may now. A clock that stepped back holds nothing. */
export function mayActivateAgainAtMs({ count, lastMs }: ActivationBackoff, intervalMs: number, nowMs: number): number {
  if (nowMs < lastMs) return nowMs;
  return lastMs + Math.min(firstDelayMs * 2 ** (count - 1), intervalMs);
}

/** Takes in what was seen corrected. One that stayed for more than two intervals was not undone. */
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
