// Records plans in files. A reconcile only adds a line to a queue: what the disk does not take in time is dropped and counted. The first
// write that fails ends the recording.
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { type Clock, within } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import type { ScopePlan } from '../report/plan-facts.ts';
import { encodeRecord } from './plan-record.ts';

export interface RecorderOptions extends RotationLimits {
  readonly directory: string;
  /** The version of this program. */
  readonly program: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called once for each plan. */
  readonly observe: (result: RecordResult) => void;
}

export type RecordResult = 'written' | 'dropped';

/** Maximum size of the lines that wait for the disk, in bytes. */
const waitingBytes = 8 * 1024 * 1024;
/** Maximum size of the lines that one write joins, in bytes. */
const joinedBytes = 256 * 1024;
/** How long `stop` waits for the disk. */
const stopWithinMs = 2000;

export class FileRecorder {
  readonly #options: RecorderOptions;
  readonly #files: RotatingFiles;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#files = new RotatingFiles(options.directory, options, options.clock);
  }

  record(planned: ScopePlan): void {
    if (this.#hasFailed) return this.#drop(1);
    const line = Buffer.from(encodeRecord(planned, this.#options.program));
    const isTooLong = line.byteLength > this.#options.fileBytes;
    if (isTooLong || this.#waitingBytes + line.byteLength > waitingBytes) return this.#drop(1);
    this.#waiting.push(line);
    this.#waitingBytes += line.byteLength;
    this.#writing ??= this.#write();
  }

  /** Writes what waits, for at most two seconds. Never rejects. */
  async stop(): Promise<void> {
    await within(this.#options.clock, stopWithinMs, this.#writing ?? Promise.resolve());
    await within(this.#options.clock, stopWithinMs, this.#files.close());
  }

  /** Until nothing waits. Never rejects. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#take();
      try {
        await this.#files.append(Buffer.concat(lines));
        for (const _ of lines) this.#options.observe('written');
      } catch (error) {
        this.#end(error, lines.length);
      }
    }
    this.#writing = undefined;
  }

  #take(): readonly Buffer[] {
    let bytes = 0;
    const limit = Math.min(joinedBytes, this.#options.fileBytes);
    const end = this.#waiting.findIndex((line, index) => (bytes += line.byteLength) > limit && index > 0);
    const lines = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
    for (const { byteLength } of lines) this.#waitingBytes -= byteLength;
    return lines;
  }

  #drop(plans: number): void {
    for (let each = 0; each < plans; each++) this.#options.observe('dropped');
  }

  #end(error: unknown, lines: number): void {
    const { directory, log } = this.#options;
    const advice = 'free space in the directory of --record, or make it writable, and restart the controller';
    log.error({ directory, error: messageOf(error), advice }, 'the recording of plans has ended');
    this.#hasFailed = true;
    this.#drop(lines + this.#waiting.splice(0).length);
  }
}

interface RotationLimits {
  /** Maximum size of one file. */
  readonly fileBytes: number;
  /** How many files are kept, the current one included. */
  readonly files: number;
}

/** The names sort by the time at which the file began. */
const namePattern = /^plans-\d{8}T\d{6}Z-\d{6}[.]jsonl$/;
/** Other processes may have begun files in the same second. */
const mostTries = 100;

/**
 * Files of lines in one folder: a new file begins when the current one is full, and the oldest are deleted. Several processes may share the
 * folder; each writes files of its own, and any of them deletes.
 */
class RotatingFiles {
  readonly #directory: string;
  readonly #limits: RotationLimits;
  readonly #clock: Clock;
  #current: FileHandle | undefined;
  #bytes = 0;
  #number = 0;

  constructor(directory: string, limits: RotationLimits, clock: Clock) {
    this.#directory = directory;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Appends whole lines, at most `fileBytes`. Throws the error of the system: a reader passes over a line that is cut at the end of a file. */
  async append(lines: Uint8Array): Promise<void> {
    const isFull = this.#bytes + lines.byteLength > this.#limits.fileBytes;
    if (!this.#current || isFull) await this.#begin();
    await this.#current?.appendFile(lines);
    this.#bytes += lines.byteLength;
  }

  /** Never rejects. */
  async close(): Promise<void> {
    const handle = this.#current;
    this.#current = undefined;
    // Every line was written before; what fails here has nothing to lose.
    await handle?.close().catch(() => undefined);
  }

  async #begin(): Promise<void> {
    await this.close();
    await makeDirectory(this.#directory, 0o700);
    this.#bytes = 0;
    await this.#deleteOldest(await this.#create());
  }

  /** The name of the new file. */
  async #create(): Promise<string> {
    for (let tries = 1; ; tries++) {
      const name = nameOf(this.#clock.now(), (this.#number += 1));
      try {
        this.#current = await open(join(this.#directory, name), 'ax', 0o600);
        return name;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === mostTries) throw error;
      }
    }
  }

  /** Keeps the current file even if a clock that stepped back gave it the oldest name. */
  async #deleteOldest(current: string): Promise<void> {
    const others = (await listFiles(this.#directory)).filter((name) => name !== current);
    const surplus = others.slice(0, Math.max(others.length + 1 - this.#limits.files, 0));
    for (const name of surplus) await rm(join(this.#directory, name), { force: true });
  }
}

/** The names of the files of any process, the oldest first. */
export async function listFiles(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => namePattern.test(name)).sort();
}

function nameOf(nowMs: number, number: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|[.]\d+/g, '');
  return `plans-${time}-${String(number).padStart(6, '0')}.jsonl`;
}
