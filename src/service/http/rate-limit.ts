// Rate limit of a caller: a token bucket for each. Section 8 leaves limits undefined; this one keeps a client in a loop from
// starving the others.
import type { Clock } from '../../lib/clock.ts';

/** Counts one request of the caller. Returns 0 when it is allowed, otherwise the wait in milliseconds. */
export type RateLimit = (caller: string) => number;

/** Size of the bucket: an idle caller may send this many seconds' worth of requests at once. */
const burstSeconds = 10;

/** Above this number all buckets are dropped. The number of callers is bounded by the registrations. */
const callersKept = 10_000;

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** Undefined means no limit. */
export function createRateLimit(requestsPerSecond: number | undefined, clock: Clock): RateLimit {
  if (requestsPerSecond === undefined) return () => 0;
  const most = Math.max(requestsPerSecond * burstSeconds, 1);
  const buckets = new Map<string, Bucket>();
  return (caller) => {
    const nowMs = clock.monotonic();
    if (buckets.size >= callersKept) buckets.clear();
    const bucket = buckets.get(caller) ?? { tokens: most, filledMs: nowMs };
    buckets.set(caller, bucket);
    bucket.tokens = Math.min(most, bucket.tokens + ((nowMs - bucket.filledMs) * requestsPerSecond) / 1000);
    bucket.filledMs = nowMs;
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * 1000) / requestsPerSecond);
    bucket.tokens -= 1;
    return 0;
  };
}
