// The data file: opening it so that an acknowledged write survives a kill, and migrating its tables. One process owns the file at a
// time.
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { migrations } from './data-file-migrations.ts';
import { inTransaction } from './sqlite-connection.ts';

/** SQLite's application id of our data files: "role". */
const applicationID = 0x726f6c65;

/** Time that a start waits for the previous owner to release the file. */
const ownerTimeoutMs = 2000;

/** Opens or creates the data file; without a file, creates an empty store in memory. Throws `UsageError`. */
export function openDataFile(file: string | undefined): DatabaseSync {
  try {
    return prepare(file);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`Cannot use the data file ${file}: ${explain(cause)}.`);
  }
}

function prepare(file: string | undefined): DatabaseSync {
  // Create the file here, so that it is private from its first byte.
  if (file !== undefined) closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file ?? ':memory:', { timeout: ownerTimeoutMs });
  try {
    database.exec('PRAGMA cache_size = -16384; PRAGMA locking_mode = EXCLUSIVE');
    // Check before any write: setting the journal mode already changes the file.
    readVersion(database, file);
    if (file !== undefined) makePrivate(file);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    migrate(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The file contains the keys that sign tokens. SQLite creates its side files with the mode of the file. */
function makePrivate(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, 0o600);
}

function migrate(database: DatabaseSync, file: string | undefined): void {
  void inTransaction(database, () => {
    const version = readVersion(database, file);
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${applicationID}; PRAGMA user_version = ${migrations.length}`);
  });
}

/** The version of the tables; 0 for a new file. */
function readVersion(database: DatabaseSync, file: string | undefined): number {
  const version = readNumber(database, 'PRAGMA user_version');
  const owner = readNumber(database, 'PRAGMA application_id');
  const tables = readNumber(database, 'SELECT count(*) FROM sqlite_schema');
  if (owner !== applicationID && tables > 0) {
    throw new UsageError(`The data file ${file} belongs to another program.`);
  }
  if (version > migrations.length) {
    throw new UsageError(`The data file ${file} was written by a newer version of this program.`);
  }
  return version;
}

function readNumber(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);
}

function explain(cause: unknown): string {
  return isInUse(cause) ? 'another process is using it' : messageOf(cause);
}

/** SQLITE_BUSY or SQLITE_LOCKED; an extended result code has the primary one in its lowest byte. */
function isInUse(cause: unknown): boolean {
  if (!(cause instanceof Error) || !('errcode' in cause) || typeof cause.errcode !== 'number') return false;
  const primary = cause.errcode & 0xff;
  return primary === 5 || primary === 6;
}
