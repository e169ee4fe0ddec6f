// Runs slow comparisons of secrets a few at a time. A bounded number waits, in the order of arrival, and fewer of one network, so that none
// can keep the others out.
import { Semaphore } from '../../lib/semaphore.ts';

export interface ComparisonBounds {
  /** Comparisons that run concurrently. */
  readonly running: number;
  /** Comparisons that wait. */
  readonly waiting: number;
  /** Comparisons of one network that wait. */
  readonly waitingOfNetwork: number;
}

export interface Comparisons {
  /** Settles as `compare` does; undefined when there is no place to wait, and `compare` does not run. */
  run<T>(network: string, compare: () => Promise<T>): Promise<T | undefined>;
}

export function createComparisons({ running, waiting, waitingOfNetwork }: ComparisonBounds): Comparisons {
  const semaphore = new Semaphore(running);
  /** The networks of all comparisons that run or wait. */
  const present: string[] = [];
  const hasPlace = (network: string) =>
    present.length < running + waiting &&
    present.filter((each) => each === network).length < running + waitingOfNetwork;
  return {
    async run(network, compare) {
      if (!hasPlace(network)) return undefined;
      present.push(network);
      try {
        return await semaphore.run(compare);
      } finally {
        present.splice(present.indexOf(network), 1);
      }
    },
  };
}
