// A set of a bounded number of keys: the most recent ones.

export function createRecentKeys(most: number) {
  const keys = new Set<string>();
  return {
    has: (key: string): boolean => keys.has(key),
    /** Makes the key the most recent one, and drops the oldest when the set is full. */
    add(key: string): void {
      keys.delete(key);
      keys.add(key);
      const [oldest] = keys;
      if (keys.size > most && oldest !== undefined) keys.delete(oldest);
    },
  };
}
