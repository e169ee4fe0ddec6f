// Reads the data file of a service, which may be running: SQLite lets others read what the owner writes.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { LocalError, UsageError } from '../../lib/command-errors.ts';
import type { SqlQueries } from './sql.ts';
import { createSqliteConnection } from './sqlite-connection.ts';
import { explainTrouble } from './sqlite-failure.ts';

/** Time that a reader waits for a lock. An owner holds one for no longer than a commit. */
const lockTimeoutMs = 10_000;

/** Throws `UsageError` when there is no such file. */
export function requireDataFile(file: string): void {
  if (!existsSync(file)) throw new UsageError(`The data file ${file} does not exist.`);
}

/** Changes no data. */
export function openReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: lockTimeoutMs });
  try {
    database.exec('PRAGMA query_only = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Throws `UsageError` when there is no such file, and `LocalError` when it cannot be read. */
export async function readDataFile<T>(file: string, read: (sql: SqlQueries) => Promise<T>): Promise<T> {
  requireDataFile(file);
  try {
    const database = openReader(file);
    try {
      return await read(createSqliteConnection(database).sql);
    } finally {
      database.close();
    }
  } catch (error) {
    throw new LocalError(`Cannot use the data file ${file}: ${explainTrouble(error)}.`);
  }
}
