// Turns an aborted signal into an error, in the same way for everything in this folder.
import { StoppedError } from '../lib/errors.ts';

/** Either nothing was sent, or the result is unknown. */
export function cancelled(): StoppedError {
  return new StoppedError('The request was cancelled.');
}

/** Settles as `promise` does, or rejects with `stopped` as soon as the signal aborts. The work itself continues. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(cancelled());
  }
  return new Promise((resolve, reject) => {
    const leave = () => reject(cancelled());
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
