// A new file that appears complete or not at all: written in a private folder beside it, synced, and then linked to its name.
import { closeSync, existsSync, fsyncSync, linkSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Codes of a file system without hard links. */
const noLinks: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOSYS', 'EOPNOTSUPP', 'ENOTSUP']);

/**
 * Calls `write` with the name of an empty file that only its owner can read, and gives it the name `file` when `write` resolves. Leaves
 * nothing else behind. Rejects with `EEXIST` when `file` exists.
 */
export async function writeNewFile<T>(file: string, write: (unfinished: string) => Promise<T>): Promise<T> {
  return withUnfinished(file, async (unfinished) => {
    const result = await write(unfinished);
    sync(unfinished);
    publish(unfinished, file);
    sync(dirname(file));
    return result;
  });
}

/** Calls `use` with the name of an empty file that only its owner can read, in a folder beside `file`, and removes both afterwards. */
export async function withUnfinished<T>(file: string, use: (unfinished: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(`${file}.`);
  try {
    const unfinished = join(folder, 'unfinished');
    closeSync(openSync(unfinished, 'wx', 0o600));
    return await use(unfinished);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A link fails where a rename would replace a file that appeared in the meantime. */
function publish(unfinished: string, file: string): void {
  try {
    linkSync(unfinished, file);
  } catch (error) {
    if (existsSync(file) || !noLinks.has((error as NodeJS.ErrnoException).code)) throw error;
    renameSync(unfinished, file);
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
