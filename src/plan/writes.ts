// What time makes of a write that was sent and not yet seen. A 204 has no body (specification 4.2), so only a list proves
// it; until then the same write is not repeated for two minutes, and after that it counts as not verified.
import type { SentWrite } from './memory.ts';

/** How long a sent write may stay unseen before it counts as not verified. */
export const verifyWindowMs = 120_000;

export type WriteState = 'Verifying' | 'NotVerified' | 'Failed' | 'MayRepeat';

/** The state of a write whose flag the last list does not show. */
export function writeState(write: SentWrite, intervalMs: number, nowMs: number): WriteState {
  const ageMs = nowMs - write.sentAtMs;
  // The clock stepped back: times noted before mean nothing, and an alert must not stay off until they come again.
  if (ageMs < 0) return 'MayRepeat';
  if (write.failure) return nowMs < write.failure.retryAtMs ? 'Failed' : 'MayRepeat';
  if (ageMs >= verifyWindowMs + intervalMs) return 'MayRepeat';
  // A repeated write that is still unseen stays "not verified", or the condition would swing at every repetition.
  return ageMs >= verifyWindowMs || write.tries > 1 ? 'NotVerified' : 'Verifying';
}

/** When to reconcile again for a write: 1, 2, 4, 8 … s after one another, until the window ends; then when it may be repeated. */
export function nextWriteCheckMs(write: SentWrite, intervalMs: number, nowMs: number): number {
  if (write.failure) return write.failure.retryAtMs;
  const ageMs = nowMs - write.sentAtMs;
  if (ageMs >= verifyWindowMs || ageMs < 0) return write.sentAtMs + verifyWindowMs + intervalMs;
  let checkMs = 1000;
  while (checkMs <= ageMs) checkMs = checkMs * 2 + 1000;
  return write.sentAtMs + Math.min(checkMs, verifyWindowMs);
}
