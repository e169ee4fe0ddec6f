// A semaphore for asynchronous work, which starts in the order in which it asks.
import { unlessStopped } from './errors.ts';

/** Held until it is released. */
export interface Permit {
  /** Idempotent. */
  release(): void;
}

export class Semaphore {
  /** Each entry passes a permit to its waiter. */
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** `count`: a whole number, at least 1. */
  constructor(count: number) {
    this.#free = count;
  }

  /** Settles as `work` does, which holds a permit. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const permit = await this.acquire();
    try {
      return await work();
    } finally {
      permit.release();
    }
  }

  /** Rejects with `stopped` when the signal aborts first. */
  async acquire(signal?: AbortSignal): Promise<Permit> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let isHeld = true;
    return {
      release: () => {
        if (isHeld) this.#release();
        isHeld = false;
      },
    };
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      await (signal ? unlessStopped(promise, signal) : promise);
    } catch (error) {
      if (!this.#waiting.delete(resolve)) this.#release();
      throw error;
    }
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
