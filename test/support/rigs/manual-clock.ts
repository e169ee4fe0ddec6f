// A clock that only a test advances. Timers run in order of their due time, and promises settle in
// between, so a whole conversation of timers and awaits plays out inside one `advance`.
import type { Clock, Timer } from '../../../src/lib/clock.ts';

/**
 * How much later than asked a step of a clock of the tests ends: with the clock of the system, no two values of `monotonic()` are a
 * whole number of milliseconds apart. Thousands of steps remain within a millisecond, and sums of it are exact.
 */
export const lateMs = 1 / 4096;

interface PendingTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Starts on 2026-01-01T00:00:00Z by default; `monotonic()` starts at 0 and has fractions. */
export class ManualClock implements Clock {
  /** Sorted by due time; equal ones stay in the order in which they were set. */
  readonly #timers: PendingTimer[] = [];
  #elapsedMs = 0;
  #wallOffsetMs: number;

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#wallOffsetMs = startMs;
  }

  now(): number {
    return Math.floor(this.#wallOffsetMs + this.#elapsedMs);
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer: PendingTimer = { dueMs: this.#elapsedMs + Math.max(delayMs, 0), callback };
    this.#timers.splice(this.#insertionIndex(timer.dueMs), 0, timer);
    return {
      cancel: () => {
        const index = this.#timers.indexOf(timer);
        if (index >= 0) this.#timers.splice(index, 1);
      },
    };
  }

  /** Timers that were set and neither fired nor cancelled. */
  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** Whole milliseconds until the next timer is due; undefined when none is set. */
  get nextTimerMs(): number | undefined {
    const next = this.#timers[0];
    return next && Math.ceil(next.dueMs - this.#elapsedMs);
  }

  /** Moves time on by `ms`, stopping at every timer on the way. A timer set on the way runs too when it falls due. */
  async advance(ms: number): Promise<void> {
    const targetMs = this.#elapsedMs + ms + lateMs;
    await settlePromises();
    for (let next = this.#timers[0]; next && next.dueMs <= targetMs; next = this.#timers[0]) {
      this.#timers.shift();
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.callback();
      await settlePromises();
    }
    this.#elapsedMs = targetMs;
  }

  /** Time passes and nothing runs, as in a process that is stopped; what is due runs with the next `advance`. */
  jump(ms: number): void {
    this.#elapsedMs += ms;
  }

  /** A step of the wall clock, as an operator of the machine might do it; `monotonic()` does not see it. */
  stepWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  #insertionIndex(dueMs: number): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#timers[middle]?.dueMs ?? 0) <= dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Lets everything run that waits for promises only. Real I/O is not waited for. */
export function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
