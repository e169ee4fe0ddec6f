// Who is served next when not everybody can be: high before low, first come first served within each. So that a crowd
// of edits cannot starve the resyncs, which end expired dismissals, a passed-over low waiter gets every fifth turn.

/** A user's edit, or a resync. */
export type Priority = 'high' | 'low';

/** How many high waiters may overtake before a low one has its turn. */
const overtakingLimit = 4;

export interface Turn<T> {
  readonly waiter: T;
  readonly priority: Priority;
  /** A low waiter that goes before waiting high ones, because it was overtaken often enough. */
  readonly isStarving: boolean;
}

export class FairQueue<T> {
  readonly #high = new Set<T>();
  readonly #low = new Set<T>();
  /** High waiters served in a row while a low one waited. */
  #overtaken = 0;

  get size(): number {
    return this.#high.size + this.#low.size;
  }

  add(waiter: T, priority: Priority): void {
    (priority === 'high' ? this.#high : this.#low).add(waiter);
  }

  /** Harmless for one that is not in the line. */
  remove(waiter: T): void {
    this.#high.delete(waiter);
    this.#low.delete(waiter);
  }

  /** Whose turn it is; the line stays as it is. */
  peek(): Turn<T> | undefined {
    const [high] = this.#high;
    const [low] = this.#low;
    const isStarving = high !== undefined && low !== undefined && this.#overtaken >= overtakingLimit;
    if (high !== undefined && !isStarving) return { waiter: high, priority: 'high', isStarving };
    return low === undefined ? undefined : { waiter: low, priority: 'low', isStarving };
  }

  /** Takes the one out whose turn it is, and counts the overtaking. */
  dequeue(turn: Turn<T>): void {
    this.remove(turn.waiter);
    const isOvertaking = turn.priority === 'high' && this.#low.size > 0;
    this.#overtaken = isOvertaking ? this.#overtaken + 1 : 0;
  }

  /** Empties the line and gives back who stood in it, high first. */
  drain(): readonly T[] {
    const waiters = [...this.#high, ...this.#low];
    this.#high.clear();
    this.#low.clear();
    this.#overtaken = 0;
    return waiters;
  }
}
