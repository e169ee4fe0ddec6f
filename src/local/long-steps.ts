// What the steps that take long have in common: they poll for an external state with a deadline, print what happens, and say how long it took.
import { type Clock, keepProcessAlive, sleep } from '../lib/clock.ts';
import { formatDuration } from '../lib/duration.ts';

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

/** Prints a line. */
export type Print = (line: string) => void;

/** A rounded duration: `412ms`, `3.1s`, `4m12s`. */
export function renderTaken(durationMs: number): string {
  if (durationMs < 1000) return formatDuration(Math.round(durationMs));
  return formatDuration(
    durationMs < 60_000 ? Math.round(durationMs / 100) * 100 : Math.round(durationMs / 1000) * 1000,
  );
}
