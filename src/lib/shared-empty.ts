// One empty map for all that are empty. An empty Map takes 184 bytes, and the state of each scope has several that mostly stay empty.

export const emptyMap: ReadonlyMap<never, never> = new Map<never, never>();

/** The map itself, or the shared one if it is empty. */
export function sharedIfEmpty<Key, Value>(map: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> {
  return map.size === 0 ? emptyMap : map;
}
