// Time as a parameter. Production passes `systemClock`; tests pass a clock that they advance themselves.

/** A started timer. `cancel` is idempotent and does nothing after the timer fired. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Wall time in whole milliseconds since 1970, UTC. May step. */
  now(): number;
  /** Milliseconds with fractions, which never step back. Only differences are meaningful. */
  monotonic(): number;
  /** Calls `callback` once, at least `delayMs` later. The timer does not keep the process alive. */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/** Node's limit, a signed 32-bit count of milliseconds: it fires timers with a longer delay at once. */
const longestDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    const handle = setTimeout(callback, Math.min(Math.max(delayMs, 0), longestDelayMs));
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** The difference between the wall clock and the monotonic clock, in milliseconds. */
export function wallOffsetMs(clock: Clock): number {
  return clock.now() - clock.monotonic();
}

/**
 * How far the wall clock is ahead of where the monotonic clock has it, since `wallOffsetMs` was `offsetMs`: only the wall clock goes on while
 * the machine sleeps. 0 after a step back. Milliseconds.
 */
export function sleptMs(clock: Clock, offsetMs: number): number {
  return Math.max(wallOffsetMs(clock) - offsetMs, 0);
}

/** Resolves after `delayMs`, or at once when `signal` aborts; never rejects. The caller checks the signal afterwards. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const finish = () => {
      timer.cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = clock.setTimer(delayMs, finish);
    signal?.addEventListener('abort', finish);
  });
}
