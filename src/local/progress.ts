// What happens during a long step, and how long it took.
import { formatDuration } from '../lib/duration.ts';

export interface Progress {
  /** Prints a line. */
  print(line: string): void;
}

/** A rounded duration: `412ms`, `3.1s`, `4m12s`. */
export function renderTaken(durationMs: number): string {
  if (durationMs < 1000) return formatDuration(Math.round(durationMs));
  return formatDuration(
    durationMs < 60_000 ? Math.round(durationMs / 100) * 100 : Math.round(durationMs / 1000) * 1000,
  );
}
