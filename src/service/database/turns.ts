// Lets one piece of work at a time use a connection, in the order of the calls. Work that does not wait runs at once if the connection
// is free, so a read of SQLite costs no turn of the event loop.
import type { MaybePromise } from '../../lib/maybe-promise.ts';

/** Runs `work` once the work before it has ended, also if that failed. */
export type TakeTurn = <T>(work: () => MaybePromise<T>) => MaybePromise<T>;

export function createTurns(): TakeTurn {
  /** Settles, without a failure, when the connection becomes free; undefined while it is free. */
  let busy: Promise<void> | undefined;

  const occupy = <T>(running: Promise<T>): Promise<T> => {
    const end = () => {
      if (busy === ended) busy = undefined;
    };
    const ended: Promise<void> = running.then(end, end);
    busy = ended;
    return running;
  };

  return (work) => {
    if (busy) return occupy(busy.then(work));
    const result = work();
    return result instanceof Promise ? occupy(result) : result;
  };
}
