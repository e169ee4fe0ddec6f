// A semaphore for asynchronous calls.

/** Starts `call` when a permit is free, in the order of the calls to the limit. Settles as `call` does. */
export type Limit = <T>(call: () => Promise<T>) => Promise<T>;

/** A limit of `count` concurrent calls; `count` is an integer of at least 1. */
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
