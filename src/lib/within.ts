// A timeout for a promise.
import type { Clock } from './clock.ts';

/** Settles as `promise` does, or resolves with `'late'` after `waitMs`. Ignores a late value or rejection. */
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
        // Pass the caller's rejection on unchanged.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(error);
      },
    );
  });
}
