// Bounds the log lines that wait for a reader that does not take them, such as a pipe to a stopped program. Lines beyond the bound
// are dropped and counted, because a service must neither wait for the reader of its log nor keep every line in memory.
import type { LogSink } from './log.ts';
import type { Output } from './output.ts';

/** Maximum size of the lines that wait for their reader, in bytes. */
export const waitingLinesBytes = 1024 * 1024;

export interface BoundedSink extends LogSink {
  /** Lines dropped since the start. */
  readonly droppedLines: number;
}

/** Calls `onResumed` when lines flow again, with the number of lines dropped in between. */
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
