// The log of a service command, on its standard error.
import { readBuildFacts } from '../lib/build-facts.ts';
import { systemClock } from '../lib/clock.ts';
import { createFlatLogger, type FlatLogger } from '../lib/flat-log.ts';
import { isSameJson } from '../lib/json-shape.ts';
import { afterBatch, batchLines, boundSink } from '../lib/log-sinks.ts';
import { createLogger, type Logger, type LogLevel } from '../lib/log.ts';
import type { Options, Values } from '../lib/options/option.ts';
import type { BuildLabels } from '../operator/manager/metrics.ts';
import type { Host } from './host.ts';

interface LogValues {
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

/**
 * Logs what runs here: version, commit, Node, and the options that differ from their defaults. Call it before a port is opened or
 * a file is read, so that the log of a failed start has it as well. Returns what it logged of the build.
 */
export function logStart<Set extends Options>(log: Logger, options: Set, values: Values<Set>, host: Host): BuildLabels {
  const build = { ...readBuildFacts(), node: host.nodeVersion };
  log.info({ ...build, options: changedOptions(options, values) }, 'starting');
  return build;
}

/** By flag, as a user would write the values; a secret is `[redacted]`. Empty when every option has its default. */
export function changedOptions<Set extends Options>(options: Set, values: Values<Set>): Record<string, unknown> {
  const changed = Object.entries<Options[string]>(options).flatMap(([name, option]): [string, unknown][] => {
    const value: unknown = values[name as keyof Set];
    return isSameJson(value, option.fallback) ? [] : [[option.flag, option.show(value)]];
  });
  return Object.fromEntries(changed);
}
