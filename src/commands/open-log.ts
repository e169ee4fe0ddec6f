// The log of a service command, on its standard error.
import { boundSink } from '../lib/bounded-sink.ts';
import { systemClock } from '../lib/clock.ts';
import { createFlatLogger, type FlatLogger } from '../lib/flat-log.ts';
import { afterBatch, batchLines } from '../lib/log-batch.ts';
import { createLogger, type Logger, type LogLevel } from '../lib/log.ts';
import type { Host } from './host.ts';

export interface LogValues {
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
}

export interface OpenLog {
  readonly log: Logger;
  /** For a line about each request. Its lines wait a moment to be written together. */
  readonly accessLog: FlatLogger;
  /** Writes the lines of `accessLog` that wait. */
  readonly flush: () => void;
  /** Lines that no reader took, since the start. */
  readonly droppedLines: () => number;
}

/** Loads the formatter of text only when it is needed: in a cluster the log is JSON. */
export async function openLog({ logLevel, logFormat }: LogValues, { err }: Host): Promise<OpenLog> {
  const format = logFormat === 'json' ? 'json' : (await import('../lib/log-text.ts')).formatLogLine;
  const sink = boundSink(err, (lines) =>
    log.warn({ lines }, 'log lines dropped: the reader of the log did not take them'),
  );
  const batch = batchLines(sink, systemClock);
  const log = createLogger({ level: logLevel, format, sink: afterBatch(batch, sink) });
  const accessLog = createFlatLogger({ level: logLevel, format, sink: batch });
  return { log, accessLog, flush: () => batch.flush(), droppedLines: () => sink.droppedLines };
}
