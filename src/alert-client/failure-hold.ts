// How long the failure to read a credential or to fetch a token counts for every request of the connection.
import { doublingMs } from '../lib/backoff.ts';
import { jitter, type Random } from '../lib/random.ts';

const firstHoldMs = 1000;
/** With jitter, less than the 30 s after which the controller reads the Secret of a failed connection again. */
const longestHoldMs = 20_000;

/** After the `count`th failure in a row. */
export function failureHoldMs(count: number, random: Random): number {
  return jitter(random, doublingMs(count, firstHoldMs, longestHoldMs), 0.2);
}
