// The warning about a misspelled environment variable in the log of a service, where all its lines have one format.
import { createLogger, type LogFormat, type LogLevel } from '../lib/log.ts';
import type { Host } from './host.ts';
import type { UnknownVariable } from './unknown-variables.ts';

interface LogValues {
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export function logUnknownVariable(unknown: UnknownVariable, { logLevel, logFormat }: LogValues, host: Host): void {
  const log = createLogger({ level: logLevel, format: logFormat, sink: host.err });
  log.warn(unknown, 'unknown environment variable ignored');
}
