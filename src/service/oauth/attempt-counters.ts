// The interface of the counters of failed logins, without names and credentials. One process keeps them in memory; several
// processes share them in their database.
import type { MaybePromise } from '../../lib/maybe-promise.ts';

/** Length of the window of a key, which begins with its first failure, and the maximum lockout. */
export const attemptWindowMs = 60_000;

/** A counted key with its bound. A key is a hash, so its length is fixed and it contains no name. */
export interface BoundedKey {
  readonly key: string;
  /** Failures in a window; with as many, the key is closed until its window ends. */
  readonly bound: number;
}

/**
 * Counts failures by key. The memory is bounded, and a flood of new keys never lowers the count of another key: an implementation
 * may count too many, and must not count too few.
 */
export interface AttemptCounters {
  /** Whether one of the keys has reached its bound. */
  isClosed(keys: readonly BoundedKey[]): MaybePromise<boolean>;
  /** Counts a failure under every key; false if one of them has reached its bound, and then counts nothing. */
  count(keys: readonly BoundedKey[]): MaybePromise<boolean>;
  /** Takes back one failure of each key. */
  takeBack(keys: readonly string[]): MaybePromise<void>;
  /** Takes back all failures of the key. */
  forget(key: string): MaybePromise<void>;
}
