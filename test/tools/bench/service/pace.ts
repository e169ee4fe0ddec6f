// Gives out the requests of a load: at once, or each when it is due. While it runs, this process never sleeps: the kernel charges the
// wake-up of a sleeping reader to the writer, which would make a server seem slower the longer its client waits for it.

export interface Due {
  readonly index: number;
  /** From here on its latency counts: when it was given out, or with a rate when it was due. In milliseconds of `performance.now()`. */
  readonly sinceMs: number;
}

type Take = (due: Due | undefined) => void;

export class Pace {
  readonly firstMs = performance.now();
  readonly #count: number;
  readonly #requestsPerSecond: number;
  /**
   * Connections that wait for a request that is due later. One loop serves all: a loop for each would fill the memory with promises, and
   * collecting them delays responses.
   */
  readonly #waiting: Take[] = [];
  #begun = 0;
  #isOver = false;

  /** `requestsPerSecond` is Infinity when each request is due at once. */
  constructor(count: number, requestsPerSecond: number) {
    this.#count = count;
    this.#requestsPerSecond = requestsPerSecond;
    this.#turn();
  }

  /** Resolves when the next request is due, with undefined when none is left. */
  next(): Promise<Due | undefined> {
    return new Promise((take) => {
      this.#waiting.push(take);
      this.#giveOut();
    });
  }

  stop(): void {
    this.#isOver = true;
  }

  #turn(): void {
    if (this.#isOver) return;
    this.#giveOut();
    setImmediate(() => this.#turn());
  }

  #giveOut(): void {
    while (this.#waiting.length > 0) {
      if (this.#begun >= this.#count) this.#waiting.shift()?.(undefined);
      else if (this.#dueMs() <= performance.now()) this.#waiting.shift()?.(this.#take());
      else return;
    }
  }

  #dueMs(): number {
    return this.firstMs + (this.#begun * 1000) / this.#requestsPerSecond;
  }

  #take(): Due {
    const sinceMs = this.#requestsPerSecond === Infinity ? performance.now() : this.#dueMs();
    const index = this.#begun;
    this.#begun += 1;
    return { index, sinceMs };
  }
}
