// Repeats work with a fixed pause between the end of one run and the start of the next.
import type { Clock, Timer } from './clock.ts';

/** Runs `work` after every pause until the returned function is called. `work` must handle its own errors. */
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
