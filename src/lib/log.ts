// Logging: constant lower-case messages, facts in fields. JSON for machines, one line a record for people.
import { pino } from 'pino';
import pretty from 'pino-pretty';

/** What the program needs of a logger. Fields come first, as pino has it; `err` is the field for an error. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LogFormat = 'json' | 'text';

/** Where log lines go; a stream of the process, or a test's own sink. */
export interface LogSink {
  write(line: string): void;
}

/** A logger that writes synchronously to `sink`, so that nothing is lost when the process dies. */
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
