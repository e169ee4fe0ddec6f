// What waits to be sent, in a line for each namespace, served by turns: a namespace that fills the queue delays and loses what is its own.

export class FairQueue<T> {
  readonly #capacity: number;
  /** In the order of their turns; none of them is empty. */
  readonly #lines = new Map<string, T[]>();
  #size = 0;

  /** `capacity`: whole, from 1. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** False when the queue was full, and one was dropped: this one, or the newest of the namespace that has the most. */
  add(namespace: string, item: T): boolean {
    const isFull = this.#size >= this.#capacity;
    if (isFull && !this.#makeRoomFor(namespace)) return false;
    const line = this.#lines.get(namespace);
    if (line) line.push(item);
    else this.#lines.set(namespace, [item]);
    this.#size++;
    return !isFull;
  }

  /** The oldest of the namespace whose turn it is. */
  next(): T | undefined {
    const [first] = this.#lines;
    if (!first) return undefined;
    const [namespace, line] = first;
    const item = line.shift();
    this.#lines.delete(namespace);
    if (line.length > 0) this.#lines.set(namespace, line);
    this.#size--;
    return item;
  }

  /** Empties it and says how many there were. */
  clear(): number {
    const size = this.#size;
    this.#lines.clear();
    this.#size = 0;
    return size;
  }

  /** Only where another namespace then still has as many as this one. */
  #makeRoomFor(namespace: string): boolean {
    const own = this.#lines.get(namespace)?.length ?? 0;
    const longest = [...this.#lines.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length <= own + 1) return false;
    longest.pop();
    this.#size--;
    return true;
  }
}
