// Files of lines in one folder: a new file begins when the current one is full, and the oldest are deleted. Several processes may share
// the folder; each writes files of its own, and any of them deletes.
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Clock } from '../../lib/clock.ts';
import { makeDirectory } from '../../lib/make-directory.ts';

export interface RotationLimits {
  /** Maximum size of one file. */
  readonly fileBytes: number;
  /** How many files are kept, the current one included. */
  readonly files: number;
}

/** The names sort by the time at which the file began. */
const namePattern = /^plans-\d{8}T\d{6}Z-\d{6}[.]jsonl$/;
/** Other processes may have begun files in the same second. */
const mostTries = 100;

export class RotatingFiles {
  readonly #directory: string;
  readonly #limits: RotationLimits;
  readonly #clock: Clock;
  #current: { readonly name: string; readonly handle: FileHandle } | undefined;
  #bytes = 0;
  #number = 0;

  constructor(directory: string, limits: RotationLimits, clock: Clock) {
    this.#directory = directory;
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Appends whole lines, at most `fileBytes`. Throws the error of the system; the next call then begins a new file. What it wrote of the
   * lines is removed: otherwise each attempt on a full disk would leave another file and so delete an older one with records.
   */
  async append(lines: Uint8Array): Promise<void> {
    try {
      const isFull = this.#bytes + lines.byteLength > this.#limits.fileBytes;
      if (!this.#current || isFull) await this.#begin();
      await this.#current?.handle.appendFile(lines);
      this.#bytes += lines.byteLength;
    } catch (error) {
      await this.#removeUnfinished();
      await this.close();
      throw error;
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    const handle = this.#current?.handle;
    this.#current = undefined;
    // Every line was written before; what fails here has nothing to lose.
    await handle?.close().catch(() => undefined);
  }

  /** Never rejects: a line that is cut does no harm at the end of a file. */
  async #removeUnfinished(): Promise<void> {
    const { name, handle } = this.#current ?? {};
    if (name === undefined) return;
    const removed = this.#bytes === 0 ? rm(join(this.#directory, name)) : handle?.truncate(this.#bytes);
    await removed?.catch(() => undefined);
  }

  async #begin(): Promise<void> {
    await this.close();
    await makeDirectory(this.#directory, 0o700);
    this.#bytes = 0;
    this.#current = await this.#create();
    await this.#deleteOldest(this.#current.name);
  }

  async #create(): Promise<{ name: string; handle: FileHandle }> {
    for (let tries = 1; ; tries++) {
      const name = nameOf(this.#clock.now(), (this.#number += 1));
      try {
        return { name, handle: await open(join(this.#directory, name), 'ax', 0o600) };
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
