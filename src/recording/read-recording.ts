// Reads the plans that a controller recorded in a directory, the oldest file first.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { LocalError } from '../lib/command-errors.ts';
import { type DecodedRecord, decodePlanRecord } from './decode-record.ts';
import { listFiles } from './rotating-files.ts';

/** One line of a file; lines begin with 1. */
export type RecordedLine = DecodedRecord & { readonly file: string; readonly line: number };

/**
 * Passes over a last line that a process left unfinished when it ended, and over a file that a running controller has deleted.
 * Throws `LocalError` when the directory has no recording or cannot be read.
 */
export async function* readRecording(directory: string): AsyncGenerator<RecordedLine> {
  const names = await readable(directory, listFiles(directory));
  if (names.length === 0) {
    const advice = 'record plans with `rolealerts controller --record DIR`';
    throw new LocalError(`${directory} has no recorded plans (plans-*.jsonl): ${advice}.`);
  }
  for (const name of names) yield* readFileLines(join(directory, name));
}

async function* readFileLines(file: string): AsyncGenerator<RecordedLine> {
  let unread: RecordedLine | undefined;
  let line = 0;
  try {
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      // It was not the last one.
      if (unread) yield unread;
      line++;
      const decoded = { ...decodePlanRecord(text), file, line };
      unread = decoded.isCut ? decoded : undefined;
      if (!unread) yield decoded;
    }
  } catch (error) {
    if (line > 0 || (error as NodeJS.ErrnoException).code !== 'ENOENT') await readable(file, Promise.reject(error));
  }
}

async function readable<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new LocalError(`${path} cannot be read (${code}): give the directory of \`--record\`, readable for you.`);
  }
}
