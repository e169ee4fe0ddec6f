// A clock that can be set forward, so that a test of a client need not wait for the end of a token or for the next scan.
import type { Clock, Timer } from '../../lib/clock.ts';

export interface ForwardClock extends Clock {
  /** Never backward. The timers that are due by then fire soon. */
  forwardBy(elapsedMs: number): void;
}

interface Pending {
  readonly dueMs: number;
  readonly callback: () => void;
  timer: Timer;
}

export function createForwardClock(base: Clock): ForwardClock {
  const pending = new Set<Pending>();
  let offsetMs = 0;
  const monotonic = () => base.monotonic() + offsetMs;

  const begin = (dueMs: number, callback: () => void): Pending => {
    const waiting: Pending = { dueMs, callback, timer: base.setTimer(dueMs - monotonic(), () => fire(waiting)) };
    pending.add(waiting);
    return waiting;
  };
  const fire = (waiting: Pending) => {
    pending.delete(waiting);
    waiting.callback();
  };

  return {
    now: () => base.now() + offsetMs,
    monotonic,
    setTimer(delayMs, callback) {
      const waiting = begin(monotonic() + Math.max(delayMs, 0), callback);
      return {
        cancel() {
          waiting.timer.cancel();
          pending.delete(waiting);
        },
      };
    },
    forwardBy(elapsedMs) {
      offsetMs += Math.max(elapsedMs, 0);
      for (const waiting of pending) {
        waiting.timer.cancel();
        waiting.timer = base.setTimer(Math.max(waiting.dueMs - monotonic(), 0), () => fire(waiting));
      }
    },
  };
}
