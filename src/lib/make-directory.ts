// Creates folders. Node's `mkdir` with `recursive` never ends where the kernel refuses a new folder with ENOENT although the folder above
// exists, as in /proc.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Creates the folder and those above it with `mode`; an existing folder keeps its own. Throws the error of the system. */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  if (await makeOne(path, mode)) return;
  await makeDirectory(dirname(path), mode);
  await mkdir(path, { mode }).catch((error: unknown) => keepExisting(path, error));
}

/** Resolves with false when the folder above may be missing. */
async function makeOne(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path) return false;
    await keepExisting(path, error);
  }
  return true;
}

/** Whatever the error: the system may refuse before it finds that the folder exists. */
async function keepExisting(path: string, error: unknown): Promise<void> {
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isThere) throw error;
}
