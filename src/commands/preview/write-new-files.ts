// Writes files that do not exist yet. A file that exists may hold what a person filled in.
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { LocalError, UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';

/** `files`: texts by name. Creates the directory. Writes nothing, and throws `UsageError`, when one of the files exists. */
export async function writeNewFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const name of files.keys()) {
    const path = join(directory, name);
    if (await doesExist(path)) {
      throw new UsageError(`${path} exists, so nothing was written: remove it, or give another --output-dir.`);
    }
  }
  try {
    await mkdir(directory, { recursive: true });
    for (const [name, text] of files) await writeFile(join(directory, name), text, { flag: 'wx' });
  } catch (error) {
    throw new LocalError(`The files cannot be written to ${directory}: ${messageOf(error)}.`);
  }
}

async function doesExist(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
