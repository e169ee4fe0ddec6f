// Holds back the body of a response while its handler pauses, and keeps its order.
export class Breaker {
  readonly #held: (() => void)[] = [];
  #isPaused = false;

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pass(run: () => void): void {
    if (this.#isPaused || this.#held.length > 0) this.#held.push(run);
    else run();
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** What was held passes when `later` runs it; the handler may pause again on the way. */
  resume(later: (run: () => void) => void): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    later(() => {
      while (!this.#isPaused && this.#held.length > 0) this.#held.shift()?.();
    });
  }
}
