// How many calls of one kind are under way at a time.

/** Begins a call when it has its turn, first come, first served. Rejects as the call does. */
export type Limit = <T>(call: () => Promise<T>) => Promise<T>;

/** `count`: whole, from 1. */
export function createLimit(count: number): Limit {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (call) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
