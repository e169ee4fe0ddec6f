// Where log lines go on their way to the output: some wait to be written together, and those that wait for a reader that does not take them
// are bounded.
import type { Clock, Timer } from './clock.ts';
import type { LogSink } from './log.ts';
import type { Output } from './output.ts';

/** Maximum size of the lines that wait for their reader, in bytes. */
export const waitingLinesBytes = 1024 * 1024;

export interface BoundedSink extends LogSink {
  /** Lines dropped since the start. */
  readonly droppedLines: number;
}

/**
 * Bounds the lines that wait for a reader that does not take them, such as a pipe to a stopped program. Lines beyond the bound are dropped
 * and counted, because a service must neither wait for the reader of its log nor keep every line in memory. Calls `onResumed` when lines flow again, with the number of lines dropped in between.
 */
export function boundSink(
  output: Pick<Output, 'write' | 'backlog'>,
  onResumed: (lines: number) => void,
  limitBytes = waitingLinesBytes,
): BoundedSink {
  const { backlog } = output;
  let missing = 0;
  let droppedLines = 0;
  const resume = () => {
    const lines = missing;
    missing = 0;
    if (lines > 0) onResumed(lines);
  };
  const drop = (text: string) => {
    if (missing === 0) backlog?.onceTaken(resume);
    const lines = linesOf(text);
    missing += lines;
    droppedLines += lines;
  };
  return {
    write(text) {
      const waiting = backlog?.bytes ?? 0;
      // Half the bound, so that a slow reader gets lines in long runs instead of one after each gap.
      if (missing > 0 && waiting <= limitBytes / 2) resume();
      if (missing > 0 || (waiting > 0 && waiting + text.length > limitBytes)) drop(text);
      else output.write(text);
    },
    get droppedLines() {
      return droppedLines;
    },
  };
}

/** A text may hold several lines: a batch, or an error with its stack. */
function linesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** Maximum time that a line waits, in milliseconds. A kill loses the lines of this time. */
export const batchDelayMs = 10;

/** Above this number of characters the lines do not wait. */
const batchCharacters = 32_768;

export interface LogBatch extends LogSink {
  /** Writes the waiting lines. Call it before the process ends. */
  flush(): void;
}

/**
 * Writes the lines of a busy log together: one write for each line would cost a fifth of a short request. A line waits for at most
 * `batchDelayMs`; lines of other logs write the waiting ones first, so that the order is kept.
 */
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
