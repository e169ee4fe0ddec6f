// Whether an open data file still has its name. SQLite goes on writing to a file that was removed, renamed or replaced, and the next start
// would not find what it wrote.
import { statSync } from 'node:fs';

import { DataFileError } from './data-file-error.ts';

/** `path` is the real path of a data file that is open. The result throws `data-file-lost` when the file or its log has lost its name. */
export function watchNames(path: string): () => void {
  // On a full disk there may be no log yet.
  const watched = [path, `${path}-wal`]
    .map((name) => ({ name, identity: identityOf(name) }))
    .filter(({ identity }) => identity !== undefined);
  return () => {
    const lost = watched.find(({ name, identity }) => identityOf(name) !== identity);
    if (!lost) return;
    const what = `The file ${lost.name} was removed, renamed or replaced while the service used it`;
    throw new DataFileError('data-file-lost', `${what}: updates get lost. Restart the service.`);
  };
}

/** Undefined without a file. */
function identityOf(name: string): string | undefined {
  const found = statSync(name, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
