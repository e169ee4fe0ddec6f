// The ownership of a data file: a lock that one process at a time holds, and that the system releases when the process ends, also
// after a kill. It is a lock on a second, empty file and not on the data file, so that backups can read that.
import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export interface Ownership {
  /** Idempotent. */
  release(): void;
}

/**
 * Takes the file for this process, after at most `timeoutMs`. The file exists, so that it has one real path, whatever symbolic links lead to
 * it. Throws what `troubleOf` understands.
 */
export function takeOwnership(file: string, timeoutMs: number): Ownership {
  const lockFile = `${realpathSync(file)}-owner`;
  // Only if it is missing: closing a file releases the locks that this process has on it.
  if (!existsSync(lockFile)) closeSync(openSync(lockFile, 'a', 0o600));
  const lock = new DatabaseSync(lockFile, { timeout: timeoutMs });
  const release = () => {
    if (lock.isOpen) lock.close();
  };
  try {
    // The transaction never ends and writes nothing: SQLite's lock on the empty file is the ownership.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release };
  } catch (error) {
    release();
    throw error;
  }
}
