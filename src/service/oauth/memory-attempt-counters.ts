// The counters of failed logins of one process. When the table is full, the key with the fewest failures makes room, and every key
// that is not in the table counts as if it had as many (the algorithm "space saving"). So a flood of invented names cannot erase the
// count of another name: it would have to fail as often with every key of the table.
import type { Clock } from '../../lib/clock.ts';
import { attemptWindowMs, type AttemptCounters } from './attempt-counters.ts';

/** Keys in the table, about 250 bytes each. One address reaches its own bound long before it fills the table. */
const keysKept = 32_768;

export interface MemoryAttemptCounters extends AttemptCounters {
  /** Number of keys in the table. */
  readonly size: number;
}

export function createMemoryAttemptCounters(clock: Clock, most = keysKept): MemoryAttemptCounters {
  const table = createTable();
  /** The failures that a key without an entry may have had; 0 once the window of the last evicted key has ended. */
  let evicted: Failures = { count: 0, sinceMs: 0 };

  const dropEnded = (nowMs: number) => {
    const hasEnded = ({ sinceMs }: Failures) => nowMs - sinceMs >= attemptWindowMs;
    table.dropOldestWhile(hasEnded);
    if (hasEnded(evicted)) evicted = { count: 0, sinceMs: nowMs };
  };

  const countOf = (key: string) => table.countOf(key) ?? evicted.count;

  const addOne = (key: string, nowMs: number) => {
    const known = table.countOf(key);
    if (known !== undefined) {
      table.change(key, known + 1);
      return;
    }
    if (table.size >= most) {
      const least = table.dropLeast();
      evicted = { count: Math.max(evicted.count, least.count), sinceMs: Math.max(evicted.sinceMs, least.sinceMs) };
    }
    table.add(key, { count: evicted.count + 1, sinceMs: nowMs });
  };

  const isClosed: MemoryAttemptCounters['isClosed'] = (keys) => {
    dropEnded(clock.monotonic());
    return keys.some(({ key, bound }) => countOf(key) >= bound);
  };

  return {
    get size() {
      return table.size;
    },
    isClosed,
    count(keys) {
      if (isClosed(keys)) return false;
      const nowMs = clock.monotonic();
      for (const { key } of keys) addOne(key, nowMs);
      return true;
    },
    takeBack(keys) {
      for (const key of keys) table.change(key, (table.countOf(key) ?? 0) - 1);
    },
    forget: (key) => table.change(key, 0),
  };
}

interface Failures {
  readonly count: number;
  /** When the window began. */
  readonly sinceMs: number;
}

/** The keys with their failures, in the order of their windows, and by their count. */
function createTable() {
  const entries = new Map<string, Failures>();
  const keysByCount = new Map<number, Set<string>>();

  const addToCount = (count: number, key: string) => {
    const keys = keysByCount.get(count) ?? new Set();
    keysByCount.set(count, keys.add(key));
  };

  const removeFromCount = (count: number, key: string) => {
    const keys = keysByCount.get(count);
    keys?.delete(key);
    if (keys?.size === 0) keysByCount.delete(count);
  };

  const remove = (key: string, { count }: Failures) => {
    entries.delete(key);
    removeFromCount(count, key);
  };

  return {
    get size() {
      return entries.size;
    },
    countOf: (key: string) => entries.get(key)?.count,
    add(key: string, failures: Failures) {
      entries.set(key, failures);
      addToCount(failures.count, key);
    },
    /** Keeps the window. Removes the key when the count is 0 or less; does nothing for an unknown key. */
    change(key: string, count: number) {
      const failures = entries.get(key);
      if (!failures) return;
      removeFromCount(failures.count, key);
      if (count <= 0) {
        entries.delete(key);
        return;
      }
      entries.set(key, { count, sinceMs: failures.sinceMs });
      addToCount(count, key);
    },
    dropOldestWhile(isDropped: (failures: Failures) => boolean) {
      for (const [key, failures] of entries) {
        if (!isDropped(failures)) return;
        remove(key, failures);
      }
    },
    /** Removes a key with the lowest count, and returns its failures. The table must not be empty. */
    dropLeast(): Failures {
      const least = Math.min(...keysByCount.keys());
      const [key = ''] = keysByCount.get(least) ?? [];
      const failures = entries.get(key) ?? { count: 0, sinceMs: 0 };
      remove(key, failures);
      return failures;
    },
  };
}
