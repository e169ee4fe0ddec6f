// A queue with two priorities: high before low, first in first out within each. Resyncs, which end expired dismissals, must
// not starve behind many edits: after four high waiters in a row a low one has its turn.
import type { Priority } from './alert-client.ts';

/** High waiters that may overtake before a low one has its turn. */
const overtakingLimit = 4;

export interface Turn<T> {
  readonly waiter: T;
  /** True for a high waiter, and for a low one that goes before high ones because the limit of overtaking is reached. */
  readonly isUrgent: boolean;
}

export class FairQueue<T> {
  readonly #high = new Set<T>();
  readonly #low = new Set<T>();
  /** High waiters dequeued in a row while a low one waited. */
  #overtaken = 0;

  get size(): number {
    return this.#high.size + this.#low.size;
  }

  add(waiter: T, priority: Priority): void {
    (priority === 'high' ? this.#high : this.#low).add(waiter);
  }

  /** No effect for a waiter that is not in the queue. */
  remove(waiter: T): void {
    this.#high.delete(waiter);
    this.#low.delete(waiter);
  }

  /** The next turn. Does not change the queue. */
  peek(): Turn<T> | undefined {
    const [high] = this.#high;
    const [low] = this.#low;
    const isStarving = low !== undefined && this.#overtaken >= overtakingLimit;
    if (high !== undefined && !isStarving) return { waiter: high, isUrgent: true };
    return low === undefined ? undefined : { waiter: low, isUrgent: high !== undefined };
  }

  /** Removes the waiter of this turn, and counts the overtaking. */
  dequeue({ waiter }: Turn<T>): void {
    const isOvertaking = this.#high.has(waiter) && this.#low.size > 0;
    this.#overtaken = isOvertaking ? this.#overtaken + 1 : 0;
    this.remove(waiter);
  }

  /** Empties the queue and returns its waiters, high first. */
  drain(): readonly T[] {
    const waiters = [...this.#high, ...this.#low];
    this.#high.clear();
    this.#low.clear();
    this.#overtaken = 0;
    return waiters;
  }
}
