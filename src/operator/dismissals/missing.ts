// When an alert of the ledger counts as gone for good: after three attempts that did not find it, over at least a day.
// The entry stores when they began, so that a restart does not begin a new day; the number of attempts is in memory
// only.
import type { Clock } from '../../lib/clock.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';

/** Attempts in a row that did not find the alert. */
export interface Missing {
  /** RFC 3339; the first of them. */
  readonly since: string;
  readonly attempts: number;
  /** When the last counted attempt was made; monotonic milliseconds. */
  readonly lastMs: number;
}

const dayMs = 86_400_000;
const attemptsNeeded = 3;
/** Attempts within this time count as one, so that a brief problem does not count three times. */
const spacingMs = 3_600_000;

/** `since`: the time in the entry, if any. A time in the future, or an unreadable one, begins anew. */
export function nextMissing(before: Missing | undefined, since: string | undefined, clock: Clock): Missing {
  const nowMs = clock.monotonic();
  if (before && nowMs - before.lastMs < spacingMs) return before;
  const isKnown = since !== undefined && Date.parse(since) <= clock.now();
  return {
    since: isKnown ? since : formatTimestamp(clock.now()),
    attempts: (before?.attempts ?? 0) + 1,
    lastMs: nowMs,
  };
}

export function isGoneForGood({ since, attempts }: Missing, nowMs: number): boolean {
  return attempts >= attemptsNeeded && nowMs - Date.parse(since) >= dayMs;
}
