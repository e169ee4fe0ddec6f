// The connection of the owner of a data file. It shares the file with backups and checks, which only read.
import { closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { UsageError } from '../../lib/command-errors.ts';
import { isMountedAlone } from './mounted-file.ts';
import { takeOwnership, type Ownership } from './ownership.ts';
import { troubleOf } from './sqlite-failure.ts';

/** Time that a start waits for the previous owner to release the file, and for an older version that locks the file itself. */
const ownerTimeoutMs = 2000;

/** Releases the ownership of the file when it closes. */
class OwnedDatabase extends DatabaseSync {
  readonly #ownership: Ownership | undefined;

  constructor(file: string, ownership: Ownership | undefined) {
    // SQLite reads names like `:memory:` and `file:…` in its own way, but no absolute path.
    super(resolve(file), { timeout: ownerTimeoutMs });
    this.#ownership = ownership;
  }

  override close(): void {
    try {
      super.close();
    } finally {
      this.#ownership?.release();
    }
  }
}

/** Takes the ownership of the file and opens it, or creates it. Throws `UsageError`, and what `troubleOf` understands. */
export function openOwned(file: string): DatabaseSync {
  // Create the file here, so that it is private from its first byte and has a real path. Opening it later would release SQLite's locks on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  requireOneName(file);
  const ownership = tryOwnership(file);
  if (!ownership) return openExclusively(file, undefined);
  const database = new OwnedDatabase(file, ownership);
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    if (troubleOf(error) !== 'full') {
      database.close();
      throw error;
    }
    // Keep the ownership, and only replace the connection.
    DatabaseSync.prototype.close.call(database);
    return openExclusively(file, ownership);
  }
}

/** Another name of the file has its own lock file and its own log, so two services would overwrite each other's updates. */
function requireOneName(file: string): void {
  const found = statSync(file);
  if (!found.isFile()) throw new UsageError(`The data file ${file} is not a file.`);
  if (found.nlink > 1) {
    throw new UsageError(
      `The data file ${file} has another name, a hard link, so a second service could use it at the same time. ` +
        'Remove the other name, or use a copy of the file.',
    );
  }
  if (isMountedAlone(realpathSync(file))) {
    throw new UsageError(
      `The data file ${file} is mounted without its folder, so the newest updates would not be kept beside it. Mount the folder.`,
    );
  }
}

/** Undefined when the disk has no space for the lock file. */
function tryOwnership(file: string): Ownership | undefined {
  try {
    return takeOwnership(file, ownerTimeoutMs);
  } catch (error) {
    if (troubleOf(error) === 'full') return undefined;
    throw error;
  }
}

/**
 * For a full disk: with a lock on the whole file, SQLite keeps the index of its log in memory and not in a file. Backups and checks must
 * then wait for the next start.
 */
function openExclusively(file: string, ownership: Ownership | undefined): DatabaseSync {
  const database = new OwnedDatabase(file, ownership);
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  return database;
}
