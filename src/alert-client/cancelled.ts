// Waiting that can be called off: one way to turn an aborted signal into an error, for everything in this folder.
import { CodedError } from '../lib/errors.ts';

/** Nothing was sent, or what came of it is not known; whoever aborted knows why. */
export function cancelled(): CodedError {
  return new CodedError('stopped', 'The request was cancelled before it was answered.');
}

/** `promise`, or `stopped` as soon as the signal aborts. The work goes on; only this caller leaves. */
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
