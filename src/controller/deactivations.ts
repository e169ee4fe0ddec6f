// The deactivations of one connection within the last hour. The status of the connection stores them, so that a restart
// does not begin a new hour; while the process runs, the monotonic clock measures the hour, so that a step of the wall
// clock does not either.
import type { Clock } from '../lib/clock.ts';
import { endOfDeactivationMs, recentDeactivations } from '../plan/recent-deactivations.ts';

interface Deactivation {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** When it stops counting; monotonic milliseconds. */
  readonly endMs: number;
}

export class Deactivations {
  readonly #clock: Clock;
  #sent: Deactivation[] = [];
  /** When the first of them stops counting; monotonic milliseconds. Until then the list needs no search. */
  #firstEndMs = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  load(times: readonly string[]): void {
    const nowMs = this.#clock.now();
    const toMonotonicMs = this.#clock.monotonic() - nowMs;
    const recent = recentDeactivations(times, nowMs);
    this.#keep(recent.map((ms) => ({ ms, endMs: toMonotonicMs + endOfDeactivationMs(ms) })));
  }

  /** The times of the last hour's deactivations; milliseconds since 1970. */
  within(): readonly number[] {
    this.#dropEnded();
    return this.#sent.map(({ ms }) => ms);
  }

  /** The number of the last hour's deactivations. */
  get count(): number {
    this.#dropEnded();
    return this.#sent.length;
  }

  /** When the oldest one stops counting; undefined without any. Whole milliseconds since 1970. */
  nextMs(): number | undefined {
    this.#dropEnded();
    if (this.#sent.length === 0) return undefined;
    return Math.ceil(this.#clock.now() + this.#firstEndMs - this.#clock.monotonic());
  }

  /** Adds a deactivation that is about to be sent. Returns its time, for `remove`. */
  add(): number {
    const ms = this.#clock.now();
    const endMs = endOfDeactivationMs(this.#clock.monotonic());
    this.#sent.push({ ms, endMs });
    this.#firstEndMs = Math.min(this.#firstEndMs, endMs);
    return ms;
  }

  remove(ms: number): void {
    const at = this.#sent.findLastIndex((each) => each.ms === ms);
    if (at >= 0) this.#keep(this.#sent.toSpliced(at, 1));
  }

  #dropEnded(): void {
    const nowMs = this.#clock.monotonic();
    if (this.#firstEndMs <= nowMs) this.#keep(this.#sent.filter(({ endMs }) => endMs > nowMs));
  }

  #keep(sent: Deactivation[]): void {
    this.#sent = sent;
    this.#firstEndMs = Math.min(...sent.map(({ endMs }) => endMs));
  }
}
