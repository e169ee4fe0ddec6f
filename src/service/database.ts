// The data file: opening it so that an acknowledged write survives a kill, its tables, and their migrations.
// One process owns the file at a time. The stores that use the tables define the meaning of the rows.
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { UsageError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';

/** SQLite's application id of our data files: "role". */
const applicationID = 0x726f6c65;

/** Time that a start waits for the previous owner to release the file. */
const ownerTimeoutMs = 2000;

/** Each migration upgrades the tables from the version of its index to the next one. Only append; never edit one. */
const migrations: readonly string[] = [
  `CREATE TABLE scope (
     scope_key TEXT PRIMARY KEY
   ) STRICT, WITHOUT ROWID;
   -- What an update changes. Kept apart from the document, so that an update never rewrites a large one.
   CREATE TABLE alert (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     scope_key TEXT NOT NULL REFERENCES scope ON DELETE CASCADE,
     alert_key TEXT NOT NULL,
     is_active INTEGER NOT NULL,
     system_data TEXT,
     UNIQUE (scope_key, alert_key)
   ) STRICT;
   CREATE INDEX alert_page ON alert (scope_key, position);
   -- The rest of the alert as JSON text without the outer braces: its members, and the members of its properties.
   CREATE TABLE document (
     position INTEGER PRIMARY KEY REFERENCES alert ON DELETE CASCADE,
     members TEXT NOT NULL,
     properties TEXT NOT NULL
   ) STRICT;
   CREATE TABLE token (
     hash BLOB NOT NULL UNIQUE,
     client_id TEXT NOT NULL,
     expires_at_ms INTEGER NOT NULL
   ) STRICT;`,
  // Tokens are signed from here on. The old ones were valid for an hour; their clients request new ones.
  `DROP TABLE token;
   CREATE TABLE signing_key (
     id TEXT PRIMARY KEY,
     jwk TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE used_assertion (
     client_id TEXT NOT NULL,
     jti TEXT NOT NULL,
     ends_at_s INTEGER NOT NULL,
     PRIMARY KEY (client_id, jti)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX used_assertion_end ON used_assertion (ends_at_s);`,
  `CREATE TABLE scanned_scope (
     scope_key TEXT PRIMARY KEY
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE certificate (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     hosts TEXT NOT NULL,
     authority TEXT NOT NULL,
     certificate TEXT NOT NULL,
     key TEXT NOT NULL,
     ends_at_ms INTEGER NOT NULL
   ) STRICT;`,
];

/** Opens or creates the data file; without a file, creates an empty store in memory. Throws `UsageError`. */
export function openDatabase(file: string | undefined): DatabaseSync {
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
  inTransaction(database, () => {
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

/** Runs `work` in one transaction, and rolls back when it throws. Do not nest. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
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
