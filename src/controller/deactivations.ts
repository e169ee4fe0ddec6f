// When alerts were deactivated through one connection within the last hour. They stand in its status, so that a restart does not
// begin a new hour; while the process runs, the monotonic clock measures it, so that a step of the wall clock does not either.
import type { Clock } from '../lib/clock.ts';

const hourMs = 3_600_000;

interface Deactivation {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** When it no longer counts; monotonic milliseconds. */
  readonly endMs: number;
}

export class Deactivations {
  readonly #clock: Clock;
  #sent: Deactivation[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One that lies ahead was written by a wrong clock and counts too, unless it is an hour off. */
  load(times: readonly string[]): void {
    const nowMs = this.#clock.now();
    this.#sent = times
      .map((time) => Date.parse(time))
      .filter((ms) => Math.abs(nowMs - ms) < hourMs)
      .sort((a, b) => a - b)
      .map((ms) => ({ ms, endMs: this.#clock.monotonic() + ms + hourMs - nowMs }));
  }

  /** Those of the last hour; milliseconds since 1970. */
  within(): readonly number[] {
    const nowMs = this.#clock.monotonic();
    this.#sent = this.#sent.filter(({ endMs }) => endMs > nowMs);
    return this.#sent.map(({ ms }) => ms);
  }

  /** When the first one leaves the hour; undefined when there is none. Milliseconds since 1970. */
  nextMs(): number | undefined {
    if (this.within().length === 0) return undefined;
    return this.#clock.now() + Math.min(...this.#sent.map(({ endMs }) => endMs)) - this.#clock.monotonic();
  }

  /** One is being sent now. Returns its time, for `remove`. */
  add(): number {
    const ms = this.#clock.now();
    this.#sent.push({ ms, endMs: this.#clock.monotonic() + hourMs });
    return ms;
  }

  remove(ms: number): void {
    const at = this.#sent.findLastIndex((each) => each.ms === ms);
    if (at >= 0) this.#sent.splice(at, 1);
  }
}
