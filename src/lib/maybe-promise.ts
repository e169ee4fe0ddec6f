// A value that may be available now or later. Work on an available value runs synchronously, so a request that does not
// have to wait costs no turn of the event loop.

export type MaybePromise<T> = T | Promise<T>;

/** Applies `work` to the value: synchronously when it is available, otherwise when the promise resolves. */
export function thenOrNow<T, U>(value: MaybePromise<T>, work: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(work) : work(value);
}

/** Runs `work`, and then `end`, also when `work` fails: synchronously unless `work` has to wait. */
export function endWith<T>(work: () => MaybePromise<T>, end: () => void): MaybePromise<T> {
  let isWaiting = false;
  try {
    const result = work();
    isWaiting = result instanceof Promise;
    return result instanceof Promise ? result.finally(end) : result;
  } finally {
    if (!isWaiting) end();
  }
}

/** Runs `work`, and `recover` when it throws or rejects: synchronously unless `work` has to wait. */
export function recoverOrNow<T>(
  work: () => MaybePromise<T>,
  recover: (error: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(recover) : result;
  } catch (error) {
    return recover(error);
  }
}
