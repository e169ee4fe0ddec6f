// The log of a service command, on its standard error.
import { createLogger, type Logger, type LogLevel } from '../lib/log.ts';
import type { Host } from './host.ts';

export interface LogValues {
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
}

/** Loads the formatter of text only when it is needed: in a cluster the log is JSON. */
export async function openLog({ logLevel, logFormat }: LogValues, { err }: Host): Promise<Logger> {
  const format = logFormat === 'json' ? 'json' : (await import('../lib/log-text.ts')).formatLogLine;
  return createLogger({ level: logLevel, format, sink: err });
}
