// The back-off of a reflector, as client-go's reflector has it, but at most 30 s including jitter, so that the reflector notices a
// recovered API server within that time. A longer Retry-After counts, up to two minutes. Pure; the caller sleeps.
import { doublingMs } from '../../lib/backoff.ts';
import type { Random } from '../../lib/random.ts';

const firstDelayMs = 800;
/** Before the jitter, which may double it. */
const longestDelayMs = 15_000;
const longestRetryAfterMs = 120_000;

/**
 * The delay after the `failures`th failure in a row (from 1): exponential, and up to twice as long by jitter. Retry-After is a
 * minimum, up to two minutes, so that a reflector reports a sign of life often enough.
 */
export function backoffMs(failures: number, retryAfterMs: number | undefined, random: Random): number {
  const delayMs = doublingMs(failures, firstDelayMs, longestDelayMs) * (1 + random.next());
  return Math.max(delayMs, Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
}
