// How many requests of one connection are under way at a time. A permit is held for one exchange, never while waiting
// for the rate limiter or for a token, so that a resync that waits cannot keep a user's edit from the wire. A list and the
// deactivation that is planned from it may share one, because another list between the two would make the plan old.

import { cancelled } from './cancelled.ts';
import { FairQueue } from './fair-queue.ts';
import type { WaitOptions } from './rate-limiter.ts';

/** A permit that is held until it is released. */
export interface Permit {
  /** Repetition is harmless. */
  release(): void;
}

interface Waiter {
  readonly proceed: () => void;
}

export class Semaphore {
  readonly #queue = new FairQueue<Waiter>();
  #free: number;

  /** `count`: whole, from 1. */
  constructor(count: number) {
    this.#free = count;
  }

  /** As `acquire`, for several requests that follow each other closely. */
  async acquirePermit(options: WaitOptions): Promise<Permit> {
    await this.acquire(options);
    let isHeld = true;
    return {
      release: () => {
        if (isHeld) this.release();
        isHeld = false;
      },
    };
  }

  /** Resolves with a permit, which the caller must `release`. Throws `stopped` when the signal aborts before. */
  async acquire({ priority, signal }: WaitOptions): Promise<void> {
    if (signal.aborted) throw cancelled();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#queue.remove(waiter);
        reject(cancelled());
      };
      const waiter: Waiter = {
        proceed: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#queue.add(waiter, priority);
    });
  }

  /** Hands the permit to whoever is next. */
  release(): void {
    const turn = this.#queue.peek();
    if (!turn) {
      this.#free += 1;
      return;
    }
    this.#queue.dequeue(turn);
    turn.waiter.proceed();
  }
}
