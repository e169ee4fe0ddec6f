// When alerts were turned off through one connection within the last hour. They stand in its status, so that a restart does not
// begin a new hour.

const hourMs = 3_600_000;

export class Deactivations {
  /** Milliseconds since 1970, oldest first. */
  #times: number[] = [];

  adopt(times: readonly string[]): void {
    this.#times = times
      .map((time) => Date.parse(time))
      .filter((ms) => !Number.isNaN(ms))
      .sort((a, b) => a - b);
  }

  /** Those of the hour before that moment. One that lies ahead was written by a wrong clock and counts too, until it is an hour off. */
  within(nowMs: number): readonly number[] {
    this.#times = this.#times.filter((ms) => Math.abs(nowMs - ms) < hourMs);
    return this.#times;
  }

  /** When the oldest one leaves the hour; undefined when there is none. */
  nextMs(nowMs: number): number | undefined {
    const [oldest] = this.within(nowMs);
    return oldest === undefined ? undefined : oldest + hourMs;
  }

  add(ms: number): void {
    this.#times.push(ms);
  }

  remove(ms: number): void {
    const at = this.#times.lastIndexOf(ms);
    if (at >= 0) this.#times.splice(at, 1);
  }
}
