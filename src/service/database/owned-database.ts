// The connection of the owner of a data file. It shares the file with backups, which only read.
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { UsageError } from '../../lib/command-errors.ts';
import { takeOwnership, type Ownership } from './ownership.ts';

/** Time that a start waits for the previous owner to release the file. */
const ownerTimeoutMs = 2000;

/** Releases the ownership of the file when it closes. */
class OwnedDatabase extends DatabaseSync {
  readonly #ownership: Ownership;

  constructor(file: string, ownership: Ownership) {
    // SQLite reads names like `:memory:` and `file:…` in its own way, but no absolute path.
    super(resolve(file), { timeout: ownerTimeoutMs });
    this.#ownership = ownership;
  }

  override close(): void {
    try {
      super.close();
    } finally {
      this.#ownership.release();
    }
  }
}

/** Takes the ownership of the file and opens it, or creates it. Throws `UsageError`, and what `troubleOf` understands. */
export function openOwned(file: string): DatabaseSync {
  // Create the file here, so that it is private from its first byte and has a real path. Opening it later would release SQLite's locks on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  requireOneName(file);
  return new OwnedDatabase(file, takeOwnership(file, ownerTimeoutMs));
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
}
