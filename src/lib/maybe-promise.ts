// A value that is there at once or comes later. What is there at once is worked on at once: a request that needs no waiting
// costs no turn of the event loop.

export type MaybePromise<T> = T | Promise<T>;

/** Does `work` with the value: at once when it is there, else when it comes. What `work` throws at once is thrown at once. */
export function thenOrNow<T, U>(value: MaybePromise<T>, work: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(work) : work(value);
}
