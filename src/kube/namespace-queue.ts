// What waits to be sent, in a line for each namespace, served by turns: a namespace that fills the queue delays and loses what is its own.

export class NamespaceQueue<T> {
  readonly #capacity: number;
  /** In the order of their turns; none of them is empty. */
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  /** `capacity`: whole, from 1. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** False when the queue was full, and one was dropped: this one, or the newest of the namespace that has the most. */
  add(namespace: string, item: T): boolean {
    const isFull = this.#size >= this.#capacity;
    if (isFull && !this.#makeRoomFor(namespace)) return false;
    const queue = this.#queues.get(namespace);
    if (queue) queue.push(item);
    else this.#queues.set(namespace, [item]);
    this.#size++;
    return !isFull;
  }

  /** The oldest of the namespace whose turn it is. */
  next(): T | undefined {
    const [first] = this.#queues;
    if (!first) return undefined;
    const [namespace, queue] = first;
    const item = queue.shift();
    this.#queues.delete(namespace);
    if (queue.length > 0) this.#queues.set(namespace, queue);
    this.#size--;
    return item;
  }

  /** Empties it and says how many there were. */
  clear(): number {
    const size = this.#size;
    this.#queues.clear();
    this.#size = 0;
    return size;
  }

  /** Only where another namespace then still has as many as this one. */
  #makeRoomFor(namespace: string): boolean {
    const own = this.#queues.get(namespace)?.length ?? 0;
    const longest = [...this.#queues.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length <= own + 1) return false;
    longest.pop();
    this.#size--;
    return true;
  }
}
