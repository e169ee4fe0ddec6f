// A set of a bounded number of keys: the most recent ones.

export interface RecentKeys {
  has(key: string): boolean;
  /** Makes the key the most recent one, and drops the oldest when the set is full. */
  add(key: string): void;
}

export function createRecentKeys(most: number): RecentKeys {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.delete(key);
      keys.add(key);
      const [oldest] = keys;
      if (keys.size > most && oldest !== undefined) keys.delete(oldest);
    },
  };
}
