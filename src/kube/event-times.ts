// The times of events. Events of one millisecond get successive microseconds, so that every client that sorts by time or by name sees them
// in the order in which they were recorded: a cause before its consequence.
import type { Clock } from '../lib/clock.ts';

/** Wall time. */
export interface EventTime {
  readonly ms: number;
  /** 0 to 999, added to `ms`. */
  readonly microseconds: number;
}

const mostMicroseconds = 999;

/** Returns the time of the next event. Events after the thousandth of one millisecond share its last microsecond. */
export function createEventTimes(clock: Clock): () => EventTime {
  let last: EventTime = { ms: -1, microseconds: 0 };
  return () => {
    const ms = Math.trunc(clock.now());
    const microseconds = ms === last.ms ? Math.min(last.microseconds + 1, mostMicroseconds) : 0;
    last = { ms, microseconds };
    return last;
  };
}
