// Waiting for a state of the outside world, with an end.
import { sleep, type Clock } from '../lib/clock.ts';
import { keepProcessAlive } from '../lib/keep-process-alive.ts';

export interface PollOptions {
  readonly clock: Clock;
  readonly withinMs: number;
  readonly everyMs: number;
  /** Gives up early. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks until the answer is not undefined; undefined when `withinMs` passed. Asks at least once. Errors of `ask` pass through. */
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
