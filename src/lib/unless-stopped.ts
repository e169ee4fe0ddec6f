// Ends the wait for what cannot be cancelled: a terminal, or a pipe that no program writes.
import { once } from 'node:events';

import { StoppedError } from './errors.ts';

/** Settles as `promise` does, or rejects with a `StoppedError` when `signal` aborts before. Ignores a late value or rejection. */
export async function unlessStopped<V>(promise: Promise<V>, signal: AbortSignal): Promise<V> {
  const settled = new AbortController();
  try {
    return await Promise.race([promise, whenStopped(signal, settled.signal)]);
  } finally {
    settled.abort();
  }
}

async function whenStopped(signal: AbortSignal, settled: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort', { signal: settled });
  throw new StoppedError('The command was stopped.');
}
