// Runs slow work a few pieces at a time. What waits is in one of two lines, which take turns: that of callers who succeeded at their
// address before, and that of all others. So callers from many addresses can keep out only those who are new.
import { createWaitingLine, type LineBounds } from './waiting-line.ts';

/** The bounds of each line, and of the work. */
export interface TurnQueueBounds extends LineBounds {
  /** Pieces of work that run concurrently. */
  readonly running: number;
}

export interface TurnPlace {
  /** Groups of one line take turns. */
  readonly group: string;
  /** Whether the caller succeeded at its address before. */
  readonly isKnown: boolean;
}

export interface TurnQueue {
  /** Settles as `work` does; undefined when the line is full for the group, and `work` does not run. */
  run<T>(place: TurnPlace, work: () => Promise<T>): Promise<T | undefined>;
}

export function createTurnQueue(bounds: TurnQueueBounds): TurnQueue {
  const known = createWaitingLine(bounds);
  const others = createWaitingLine(bounds);
  let [next, after] = [known, others];
  let running = 0;

  /** The next work takes over the permit of the one that ended. */
  const passOn = () => {
    [next, after] = [after, next];
    if (!after.callNext() && !next.callNext()) running -= 1;
  };

  return {
    async run({ group, isKnown }, work) {
      if (running < bounds.running) running += 1;
      else if (!(await (isKnown ? known : others).wait(group))) return undefined;
      try {
        return await work();
      } finally {
        passOn();
      }
    },
  };
}
