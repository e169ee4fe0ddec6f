// Writes the lines of a busy log together: one write for each line would cost a fifth of a short request. A line waits for at most
// `delayMs`; lines of other logs write the waiting ones first, so that the order is kept.
import type { Clock, Timer } from './clock.ts';
import type { LogSink } from './log.ts';

/** Maximum time that a line waits, in milliseconds. A kill loses the lines of this time. */
export const batchDelayMs = 10;

/** Above this number of characters the lines do not wait. */
const batchCharacters = 32_768;

export interface LogBatch extends LogSink {
  /** Writes the waiting lines. Call it before the process ends. */
  flush(): void;
}

export function batchLines(sink: LogSink, clock: Clock): LogBatch {
  let waiting = '';
  let timer: Timer | undefined;
  const flush = () => {
    timer?.cancel();
    timer = undefined;
    const lines = waiting;
    waiting = '';
    if (lines !== '') sink.write(lines);
  };
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= batchCharacters) flush();
      else timer ??= clock.setTimer(batchDelayMs, flush);
    },
    flush,
  };
}

/** Writes to `sink` at once, after the lines that wait in `batch`. */
export function afterBatch(batch: LogBatch, sink: LogSink): LogSink {
  return {
    write(line) {
      batch.flush();
      sink.write(line);
    },
  };
}
