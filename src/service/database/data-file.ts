// The data file: opening it so that an acknowledged write survives a kill, checking its structure, and migrating its tables. One process
// owns the file at a time; others may read it.
import { chmodSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { UsageError } from '../../lib/command-errors.ts';
import { migrations } from './data-file-migrations.ts';
import { structuralDamage } from './integrity.ts';
import { openOwned } from './owned-database.ts';
import { inTransaction } from './sqlite-connection.ts';
import { explainTrouble } from './sqlite-failure.ts';

/** SQLite's application id of our data files: "role". */
export const applicationID = 0x726f6c65;

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
    const version = readVersion(database, file);
    if (file !== undefined) {
      makePrivate(file);
      requireSound(database, file, version);
    }
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${walBytes}`);
    if (version < migrations.length) migrate(database, version);
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
function requireSound(database: DatabaseSync, file: string, version: number): void {
  const [first] = structuralDamage(database, version);
  if (first === undefined) return;
  throw new UsageError(
    `The data file ${file} is damaged: ${first}. Restore a backup; rolealerts serve check lists the damage.`,
  );
}

function migrate(database: DatabaseSync, version: number): void {
  void inTransaction(database, () => {
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${applicationID}; PRAGMA user_version = ${migrations.length}`);
  });
  // Otherwise a new file has no bytes at first.
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
}

/** Writes the version that the file has. Throws when the disk has no space. */
export function probeWrite(database: DatabaseSync): void {
  database.exec(`PRAGMA user_version = ${migrations.length}`);
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

/** The first column of the first row; 0 without one. */
export function readNumber(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);
}
