// Corrections that a list has verified, and how the history records them. A sent write becomes a correction only when a
// later list shows its flag (specification 4.2: a 204 has no body).
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Alert } from '../../alerts/types.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { CorrectionRecord } from '../../policy/generated/role-alert-policy.ts';
import { verifyWindowMs } from '../dismissals/register.ts';
import type { ActionCause, PendingWrite, Correction } from './memory.ts';

export interface ConfirmedWrites {
  readonly corrections: readonly Correction[];
  /** Writes that no list has verified, by `canonicalName`. */
  readonly open: ReadonlyMap<string, PendingWrite>;
}

/**
 * Splits the sent writes by what the list shows. Drops writes to alerts that the service does not list, old ones, and those that cannot have
 * caused the flag because they were refused or never written.
 */
export function confirmWrites(
  sent: ReadonlyMap<string, PendingWrite>,
  alerts: readonly Alert[],
  intervalMs: number,
  nowMs: number,
): ConfirmedWrites {
  if (sent.size === 0) return { corrections: [], open: sent };
  const live = new Map(alerts.map((alert) => [canonicalName(alert.name), alert]));
  const corrections: Correction[] = [];
  const open = new Map<string, PendingWrite>();
  for (const [key, write] of sent) {
    const alert = live.get(key);
    if (alert?.isActive === write.isActive) {
      if (write.failure?.kind === 'Refused' || write.failure?.kind === 'NotWritten') continue;
      const { isActive, cause, policyKey, actor } = write;
      corrections.push({ alert: alert.name, isActive, cause, policyKey, actor, seenAtMs: nowMs });
    } else if (alert && !isForgotten(write, intervalMs, nowMs)) {
      open.set(key, write);
    }
  }
  return { corrections, open };
}

/** True for a write so old that a policy which still wants it would have repeated it. */
function isForgotten(write: PendingWrite, intervalMs: number, nowMs: number): boolean {
  // A time far in the future comes from a wrong clock; the entry in the ledger must not wait for it.
  if (write.sentAtMs - nowMs > verifyWindowMs) return true;
  const lastMs = write.failure?.retryAtMs ?? write.sentAtMs;
  return nowMs - lastMs > 2 * (verifyWindowMs + intervalMs);
}

const historyLimit = 8;

/**
 * Newest first. A correction with the same reason as the alert's latest entry increments the count of that entry and
 * updates its time.
 */
export function nextHistory(
  previous: readonly CorrectionRecord[],
  corrections: readonly Correction[],
): CorrectionRecord[] {
  let history = [...previous];
  for (const { alert, isActive, cause, seenAtMs } of corrections) {
    const entry = {
      alert,
      direction: isActive ? ('Activated' as const) : ('Deactivated' as const),
      reason: historyReason(cause),
    };
    const at = formatTimestamp(seenAtMs);
    // An earlier status write may have been stored although its response was lost.
    if (history.some((old) => old.alert === alert && old.reason === entry.reason && old.at >= at)) continue;
    const latest = history.find((old) => old.alert === alert);
    const count = latest?.reason === entry.reason ? latest.count + 1 : 1;
    history = [{ at, ...entry, count }, ...history.filter((old) => count === 1 || old !== latest)];
  }
  return history.slice(0, historyLimit);
}

function historyReason(cause: ActionCause): string {
  if (cause === 'DismissalHolds') return 'Dismissed';
  return cause === 'Declared' || cause === 'Unlisted' ? 'Drift' : cause;
}
