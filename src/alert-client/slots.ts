// How many requests of one connection are under way at a time. A slot is held for one exchange, never while waiting
// for the budget or for a token, so that a resync that waits cannot keep a user's edit from the wire. A list and the
// deactivation that is planned from it may share one, because another list between the two would make the plan old.

import type { TakeOptions } from './budget.ts';
import { cancelled } from './cancelled.ts';
import { WaitingLine } from './waiting-line.ts';

/** A slot that is held until it is left. */
export interface Slot {
  /** Repetition is harmless. */
  leave(): void;
}

interface Waiter {
  readonly enter: () => void;
}

export class Slots {
  readonly #line = new WaitingLine<Waiter>();
  #free: number;

  /** `count`: whole, from 1. */
  constructor(count: number) {
    this.#free = count;
  }

  /** As `enter`, for several requests that follow each other closely. */
  async hold(options: TakeOptions): Promise<Slot> {
    await this.enter(options);
    let isHeld = true;
    return {
      leave: () => {
        if (isHeld) this.leave();
        isHeld = false;
      },
    };
  }

  /** Resolves in a slot, which the caller must `leave`. Throws `stopped` when the signal aborts before. */
  async enter({ priority, signal }: TakeOptions): Promise<void> {
    if (signal.aborted) throw cancelled();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#line.remove(waiter);
        reject(cancelled());
      };
      const waiter: Waiter = {
        enter: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#line.add(waiter, priority);
    });
  }

  /** Hands the slot to whoever is next. */
  leave(): void {
    const turn = this.#line.next();
    if (!turn) {
      this.#free += 1;
      return;
    }
    this.#line.serve(turn);
    turn.waiter.enter();
  }
}
