// The state of an unverified write over time. A 204 has no body (specification 4.2), so only a list verifies a write.
// After two minutes without one it counts as not verified, and after one more interval the operator repeats it.
import { verifyWindowMs } from '../dismissals/register.ts';
import type { PendingWrite } from './memory.ts';

export type WriteState = 'Verifying' | 'NotVerified' | 'Failed' | 'MayRepeat';

/** The state of a write whose flag the last list does not show. */
export function writeState(write: PendingWrite, intervalMs: number, nowMs: number): WriteState {
  const ageMs = nowMs - write.sentAtMs;
  // The clock stepped back, so earlier times mean nothing, and the alert must not wait for them.
  if (ageMs < 0) return 'MayRepeat';
  if (write.failure) return nowMs < write.failure.retryAtMs ? 'Failed' : 'MayRepeat';
  if (ageMs >= verifyWindowMs + intervalMs) return 'MayRepeat';
  // A repeated write stays NotVerified until a list shows it; otherwise the condition would change at every repetition.
  return ageMs >= verifyWindowMs || write.tries > 1 ? 'NotVerified' : 'Verifying';
}

/**
 * When to check a write, in milliseconds since 1970: 1, 2, 4, 8 … s apart until the window ends, then when it may be
 * repeated.
 */
export function nextWriteCheckMs(write: PendingWrite, intervalMs: number, nowMs: number): number {
  if (write.failure) return write.failure.retryAtMs;
  const ageMs = nowMs - write.sentAtMs;
  if (ageMs >= verifyWindowMs || ageMs < 0) return write.sentAtMs + verifyWindowMs + intervalMs;
  let checkMs = 1000;
  while (checkMs <= ageMs) checkMs = checkMs * 2 + 1000;
  return write.sentAtMs + Math.min(checkMs, verifyWindowMs);
}
