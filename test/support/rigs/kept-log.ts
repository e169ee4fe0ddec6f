// Logs that keep their lines, which are JSON.
import { createFlatLogger, type FlatLogger } from '../../../src/lib/flat-log.ts';
import { createLogger, type Logger, type LogLevel } from '../../../src/lib/log.ts';

export function keepLog(level: LogLevel): { readonly lines: string[]; readonly log: Logger } {
  const lines: string[] = [];
  return { lines, log: createLogger({ level, format: 'json', sink: { write: (line) => void lines.push(line) } }) };
}

export function keepAccessLog(): { readonly lines: string[]; readonly accessLog: FlatLogger } {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line) };
  return { lines, accessLog: createFlatLogger({ level: 'info', format: 'json', sink }) };
}
