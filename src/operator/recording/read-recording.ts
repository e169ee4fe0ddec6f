// Reads the plans that a controller recorded in a directory, the oldest file first.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { LocalError } from '../../lib/command-errors.ts';
import { listFiles } from './file-recorder.ts';
import { type DecodedRecord, decodePlanRecord } from './plan-record.ts';

/** One line of a file; lines begin with 1. */
export type RecordedLine = DecodedRecord & { readonly file: string; readonly line: number };

/** The longest line that is read, in UTF-16 units: a recorder writes none that is longer than its largest file. */
const lineLimit = 256 * 1024 * 1024;

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
  let line = 0;
  try {
    if (!(await stat(file)).isFile()) throw new LocalError(`${file} is not a regular file: remove it.`);
    for await (const { text, isWhole } of readLines(file, lineLimit)) {
      line++;
      const decoded = decodePlanRecord(text);
      if (isWhole || text.length > lineLimit || decoded.isCut !== true) yield { ...decoded, file, line };
    }
  } catch (error) {
    if (error instanceof LocalError) throw error;
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

interface FileLine {
  readonly text: string;
  /** False for a last line without a line feed: a process may have ended while it wrote. */
  readonly isWhole: boolean;
}

/** The lines of a file. `limit`: of the length of a line, in UTF-16 units; the lines end with the first one that is longer, cut and not whole. */
async function* readLines(file: string, limit: number): AsyncGenerator<FileLine> {
  let begun: string[] = [];
  let length = 0;
  for await (const piece of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const [rest = '', ...later] = piece.split('\n');
    begun.push(rest);
    length += rest.length;
    for (const next of later) {
      yield { text: begun.join('').replace(/\r$/, ''), isWhole: true };
      [begun, length] = [[next], next.length];
    }
    if (length > limit) break;
  }
  const text = begun.join('');
  if (text !== '') yield { text, isWhole: false };
}
