// The data file: opening it so that an acknowledged write survives a kill, checking its structure, and creating its tables. One process
// owns the file at a time; others may read it.
import { chmodSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { UsageError } from '../../lib/command-errors.ts';
import { createTables, tablesVersion } from './data-file-tables.ts';
import { structuralDamage } from './integrity.ts';
import { openOwned } from './owned-database.ts';
import { inTransaction } from './sqlite-connection.ts';
import { explainTrouble } from './sqlite-failure.ts';

/** SQLite's application id of our data files: "role". */
const applicationID = 0x726f6c65;

/** Size to which SQLite cuts its log once its content has been moved. A slow backup lets it grow, because it keeps what it reads. */
const walBytes = 16 * 1024 * 1024;

/** Opens or creates the data file; without a file, creates an empty store in memory. Throws `UsageError`. */
export function openDataFile(file: string | undefined): DatabaseSync {
  try {
    return prepare(file);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`Cannot use the data file ${file}: ${explainTrouble(cause)}.`);
  }
}

function prepare(file: string | undefined): DatabaseSync {
  const database = file === undefined ? new DatabaseSync(':memory:') : openOwned(file);
  try {
    database.exec('PRAGMA cache_size = -16384');
    // Check before any write: setting the journal mode already changes the file.
    const hasTables = file !== undefined && findTables(database, file);
    if (file !== undefined) makePrivate(file);
    if (hasTables) requireSound(database, file);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${walBytes}`);
    if (!hasTables) addTables(database);
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

/** Damage that a service would meet sooner or later, as wrong lists or lost updates. */
function requireSound(database: DatabaseSync, file: string): void {
  const [first] = structuralDamage(database);
  if (first !== undefined) throw new UsageError(`The data file ${file} is damaged: ${first}. Restore a backup.`);
}

function addTables(database: DatabaseSync): void {
  void inTransaction(database, () => {
    database.exec(createTables);
    database.exec(`PRAGMA application_id = ${applicationID}; PRAGMA user_version = ${tablesVersion}`);
  });
  // Otherwise a new file has no bytes at first.
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
}

/** False for a new file. Throws `UsageError` for one that this version did not write. */
function findTables(database: DatabaseSync, file: string): boolean {
  if (readNumber(database, 'SELECT count(*) FROM sqlite_schema') === 0) return false;
  if (readNumber(database, 'PRAGMA application_id') !== applicationID) {
    throw new UsageError(`The data file ${file} belongs to another program.`);
  }
  const version = readNumber(database, 'PRAGMA user_version');
  if (version === tablesVersion) return true;
  throw new UsageError(
    `The data file ${file} has tables of version ${version}; this version of the program reads version ${tablesVersion}.`,
  );
}

/** The first column of the first row; 0 without one. */
export function readNumber(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);
}
