// Records plans in files. A reconcile only adds a line to a queue: what the disk does not take in time, or refuses, is dropped
// and counted.
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { within } from '../../lib/within.ts';
import type { ScopePlan } from '../report/facts.ts';
import { encodeRecord } from './encode-record.ts';
import { RotatingFiles, type RotationLimits } from './rotating-files.ts';

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
/** How long nothing is written after an error. */
const pauseMs = 60_000;
/** How long `stop` waits for the disk. */
const stopWithinMs = 2000;

export class FileRecorder {
  readonly #options: RecorderOptions;
  readonly #files: RotatingFiles;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #failedAtMs: number | undefined;
  /** Plans dropped since the last one that was written. */
  #dropped = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#files = new RotatingFiles(options.directory, options, options.clock);
  }

  record(planned: ScopePlan): void {
    if (this.#isPaused) {
      this.#drop(1);
      return;
    }
    const line = Buffer.from(encodeRecord(planned, this.#options.program));
    const isTooLong = line.byteLength > this.#options.fileBytes;
    if (isTooLong || this.#waitingBytes + line.byteLength > waitingBytes) {
      this.#drop(1);
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.byteLength;
    this.#writing ??= this.#write();
  }

  /** Writes what waits, for at most two seconds. Never rejects. */
  async stop(): Promise<void> {
    await within(this.#options.clock, stopWithinMs, this.#writing ?? Promise.resolve());
    await within(this.#options.clock, stopWithinMs, this.#files.close());
  }

  get #isPaused(): boolean {
    return this.#failedAtMs !== undefined && this.#options.clock.monotonic() - this.#failedAtMs < pauseMs;
  }

  /** Until nothing waits. Never rejects. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#take();
      try {
        await this.#files.append(Buffer.concat(lines));
        this.#noteSuccess(lines.length);
      } catch (error) {
        this.#noteFailure(error, lines.length);
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

  #noteSuccess(plans: number): void {
    const { directory, log, observe } = this.#options;
    for (let each = 0; each < plans; each++) observe('written');
    if (this.#failedAtMs !== undefined) log.info({ directory, dropped: this.#dropped }, 'plans are recorded again');
    this.#failedAtMs = undefined;
    this.#dropped = 0;
  }

  #drop(plans: number): void {
    for (let each = 0; each < plans; each++) this.#options.observe('dropped');
    this.#dropped += plans;
  }

  /** Drops everything that waits, so that neither memory nor the log grows while the disk is full. */
  #noteFailure(error: unknown, lines: number): void {
    const { directory, clock, log } = this.#options;
    if (this.#failedAtMs === undefined) {
      const advice = 'free space in the directory of --record, or make it writable';
      log.warn({ directory, error: messageOf(error), advice }, 'plans are not recorded');
    }
    this.#failedAtMs = clock.monotonic();
    this.#drop(lines + this.#waiting.splice(0).length);
    this.#waitingBytes = 0;
  }
}
