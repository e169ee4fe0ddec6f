// Limits the requests in flight of one connection. A request holds a permit only while it is in flight, never while it waits for
// the rate limiter, so that a waiting resync cannot block a user's edit. A LIST and the deactivation that is planned from it
// may share a permit, because a wait between the two would make the plan outdated.
import type { RequestPermit, WaitOptions } from './alert-client.ts';
import { cancelled } from './cancelled.ts';
import { FairQueue } from './fair-queue.ts';

interface Waiter {
  readonly proceed: () => void;
}

export class Semaphore {
  readonly #queue = new FairQueue<Waiter>();
  #free: number;

  /** `count`: a whole number, at least 1. */
  constructor(count: number) {
    this.#free = count;
  }

  /** Like `acquire`, but returns the permit, which several requests that follow each other closely can share. */
  async acquirePermit(options: WaitOptions): Promise<RequestPermit> {
    await this.acquire(options);
    let isHeld = true;
    return {
      release: () => {
        if (isHeld) this.release();
        isHeld = false;
      },
    };
  }

  /** Resolves once the caller has a permit, which it must `release`. Throws `stopped` when the signal aborts first. */
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

  /** Passes the permit to the next waiter. */
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
