// A limit on how long somebody else's promise is waited for.
import type { Clock } from './clock.ts';

/** The promise's outcome, or `'late'` after `waitMs`. A late outcome is ignored, a late rejection too. */
export function within<V>(clock: Clock, waitMs: number, promise: Promise<V>): Promise<V | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(waitMs, () => resolve('late'));
    promise.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        // What others reject with is passed on as it is.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(error);
      },
    );
  });
}
