// Logging: constant lower-case messages, variable data in fields. JSON for machines, one line for each record for people.
import { pino } from 'pino';

/**
 * The logger's interface. Fields come first, as in pino. `err` holds the `Error` of a bug, whose stack is logged; `error` holds the
 * message of any other error.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
/** JSON, or a function that turns a line of JSON into the text to write. */
export type LogFormat = 'json' | ((line: string) => string);

/** The destination of log lines: a stream of the process, or a test's sink. */
export interface LogSink {
  write(line: string): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly sink: LogSink;
}

/**
 * A logger that writes synchronously to `sink`, so that no line is lost when the process dies. Both formats show the level as a
 * word and the time in UTC, as statuses and events do, so that they can be compared.
 */
export function createLogger({ level, format, sink }: LoggerOptions): Logger {
  return pino({ level, base: null, timestamp, formatters: { level: levelField } }, sinkOf(format, sink));
}

/** The destination of lines of JSON. */
export function sinkOf(format: LogFormat, sink: LogSink): LogSink {
  return format === 'json' ? sink : { write: (line) => sink.write(format(line)) };
}

/** The member `time` of a line. */
export const timestamp: () => string = pino.stdTimeFunctions.isoTime;

/** pino calls it once for each level, not for each line. */
function levelField(level: string): object {
  return { level };
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
