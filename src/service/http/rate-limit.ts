// How many requests one caller may send: a bucket that refills evenly, one for each caller. Section 8 shows no limits; this
// one keeps a client in a loop from taking the service away from the others.
import type { Clock } from '../../lib/clock.ts';

/** Takes one request of this caller; how long it has to wait in milliseconds, 0 when it may go on. */
export type RateLimit = (caller: string) => number;

/** A caller that was quiet may send so many seconds' worth at once. */
const burstSeconds = 10;

/** Callers are forgotten when there are more; they are as many as there are registrations. */
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
