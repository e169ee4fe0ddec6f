// Ends the wait for what cannot be cancelled: a terminal, a pipe that no program writes, or work that other callers wait for as well.
import { StoppedError } from './errors.ts';

/**
 * Settles as `promise` does, or rejects with a `StoppedError` when `signal` aborts before. The work itself continues: a late value or
 * rejection is ignored.
 */
export function unlessStopped<V>(
  promise: Promise<V>,
  signal: AbortSignal,
  message = 'The request was cancelled.',
): Promise<V> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new StoppedError(message));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
