// Time as a parameter, and what waits for it. Production passes `systemClock`; tests pass a clock that they advance themselves.

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

/** A timeout: settles as `promise` does, or resolves with `'late'` after `waitMs`. Ignores a late value or rejection. */
export function within<V>(clock: Clock, waitMs: number, promise: Promise<V>): Promise<V | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(waitMs, () => resolve('late'));
    promise.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        // Pass the caller's rejection on unchanged.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(error);
      },
    );
  });
}

/** Runs `work` after every pause, which begins with the end of the run before, until the returned function is called. `work` must handle its own errors. */
export function repeatEvery(pauseMs: number, clock: Clock, work: () => Promise<void>): () => void {
  let isStopped = false;
  let timer: Timer | undefined;
  const later = () => {
    timer = clock.setTimer(pauseMs, () => {
      void work().then(() => {
        if (!isStopped) later();
      });
    });
  };
  later();
  return () => {
    isStopped = true;
    timer?.cancel();
  };
}

/**
 * Runs `work` and keeps the process alive until it settles, which timers of `Clock` do not. main.ts wraps every command; code of other
 * programs that waits for an external event wraps its wait.
 */
export async function keepProcessAlive<Result>(work: () => Promise<Result>): Promise<Result> {
  const handle = setInterval(() => undefined, 2 ** 30);
  try {
    return await work();
  } finally {
    clearInterval(handle);
  }
}
