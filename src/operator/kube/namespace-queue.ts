// A queue per namespace, served round-robin: a namespace that fills the queue delays and loses only its own items.

export class NamespaceQueue<T> {
  readonly #capacity: number;
  /** In the order of their turns. No queue is empty. */
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  /** `capacity`: a whole number, at least 1. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** False when the queue was full and an item was dropped: this one, or the newest one of the namespace with the most items. */
  add(namespace: string, item: T): boolean {
    const isFull = this.#size >= this.#capacity;
    if (isFull && !this.#makeRoomFor(namespace)) return false;
    const queue = this.#queues.get(namespace);
    if (queue) queue.push(item);
    else this.#queues.set(namespace, [item]);
    this.#size++;
    return !isFull;
  }

  /** Removes and returns the oldest item of the namespace whose turn it is. */
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

  /** Removes all items and returns their number. */
  clear(): number {
    const size = this.#size;
    this.#queues.clear();
    this.#size = 0;
    return size;
  }

  /** Drops the newest item of the longest queue, unless that queue would become shorter than this namespace's. */
  #makeRoomFor(namespace: string): boolean {
    const own = this.#queues.get(namespace)?.length ?? 0;
    const longest = [...this.#queues.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length <= own + 1) return false;
    longest.pop();
    this.#size--;
    return true;
  }
}
