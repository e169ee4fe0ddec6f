// Logging: constant lower-case messages, variable data in fields. JSON for machines, one line for each record for people.
import { pino } from 'pino';
import pretty from 'pino-pretty';

/** The logger's interface. Fields come first, as in pino; `err` holds an `Error`, `error` the message of one. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LogFormat = 'json' | 'text';

/** The destination of log lines: a stream of the process, or a test's sink. */
export interface LogSink {
  write(line: string): void;
}

/** A logger that writes synchronously to `sink`, so that no line is lost when the process dies. */
export function createLogger(options: { level: LogLevel; format: LogFormat; sink: LogSink }): Logger {
  const destination = options.format === 'text' ? textSink(options.sink) : options.sink;
  return pino({ level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

function textSink(sink: LogSink): LogSink {
  const format = pretty.prettyFactory({ colorize: false, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' });
  return { write: (line) => sink.write(format(line)) };
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
