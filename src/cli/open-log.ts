// The log of a service command, on its standard error.
import { boundSink } from '../lib/bounded-sink.ts';
import { createLogger, type Logger, type LogLevel } from '../lib/log.ts';
import type { Host } from './host.ts';

export interface LogValues {
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
}

export interface OpenLog {
  readonly log: Logger;
  /** Lines that no reader took, since the start. */
  readonly droppedLines: () => number;
}

/** Loads the formatter of text only when it is needed: in a cluster the log is JSON. */
export async function openLog({ logLevel, logFormat }: LogValues, { err }: Host): Promise<OpenLog> {
  const format = logFormat === 'json' ? 'json' : (await import('../lib/log-text.ts')).formatLogLine;
  const sink = boundSink(err, (lines) =>
    log.warn({ lines }, 'log lines dropped: the reader of the log did not take them'),
  );
  const log = createLogger({ level: logLevel, format, sink });
  return { log, droppedLines: () => sink.droppedLines };
}
