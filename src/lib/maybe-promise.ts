// A value that may be available now or later. Work on an available value runs synchronously, so a request that does not
// have to wait costs no turn of the event loop.

export type MaybePromise<T> = T | Promise<T>;

/** Applies `work` to the value: synchronously when it is available, otherwise when the promise resolves. */
export function thenOrNow<T, U>(value: MaybePromise<T>, work: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(work) : work(value);
}
