// How long a reflector waits after failures in a row: as client-go's reflector does, but never longer than 30 s, jitter included, so
// that an API server that is back is noticed within that time. Pure; the caller sleeps.
import type { Random } from '../lib/random.ts';

const firstDelayMs = 800;
/** Before the jitter, which may double it. */
const longestDelayMs = 15_000;
const longestRetryAfterMs = 120_000;

/**
 * The wait after the `failures`th failure in a row (from 1): doubling, up to twice as long by jitter. What the server asked for
 * is the least, up to two minutes, so that a reflector shows a sign of life often enough.
 */
export function backoffMs(failures: number, retryAfterMs: number | undefined, random: Random): number {
  const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), longestDelayMs) * (1 + random.next());
  return Math.max(delayMs, Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
}
