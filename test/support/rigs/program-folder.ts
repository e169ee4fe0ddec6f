// A folder of its own for every test that starts the program.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, onTestFinished } from 'vitest';

export interface ProgramFolder {
  /** Of the running test; empty when it begins. */
  readonly folder: string;
  /** Readable for this user only, as the program demands of files with secrets. */
  write(name: string, text: string): Promise<void>;
}

/** For the tests of the `describe` that calls it, or of the whole file. Its members are there once a test runs. */
export function useProgramFolder(): ProgramFolder {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolealerts-program-'));
    onTestFinished(() => rm(folder, { recursive: true }));
  });
  return {
    get folder() {
      return folder;
    },
    write: (name, text) => writeFile(join(folder, name), text, { mode: 0o600 }),
  };
}
