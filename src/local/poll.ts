// Polls for an external state, with a deadline.
import { type Clock, keepProcessAlive, sleep } from '../lib/clock.ts';

export interface PollOptions {
  readonly clock: Clock;
  readonly withinMs: number;
  readonly everyMs: number;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Calls `ask` at least once and until it returns a value; undefined after `withinMs`. Errors of `ask` reject the promise. */
export function poll<Answer>(
  options: PollOptions,
  ask: () => Promise<Answer | undefined> | Answer | undefined,
): Promise<Answer | undefined> {
  return keepProcessAlive(async () => {
    const endMs = options.clock.monotonic() + options.withinMs;
    for (;;) {
      const answer = await ask();
      const isOver = options.signal?.aborted || options.clock.monotonic() >= endMs;
      if (answer !== undefined || isOver) return answer;
      await sleep(options.clock, options.everyMs, options.signal);
    }
  });
}
