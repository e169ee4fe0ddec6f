// Opens the state of the service in SQLite: the alerts with their page cache, and the small tables, over one connection.
import { cachePages } from '../alerts/page-cache.ts';
import { createSqliteAlertStore } from '../alerts/sqlite-alert-store.ts';
import { ownTurns } from '../scanner/scan-turns.ts';
import { openDataFile } from './data-file.ts';
import type { Database } from './database.ts';
import { guardStore } from './guarded-store.ts';
import { createSqliteConnection } from './sqlite-connection.ts';

/** Opens or creates the data file; without a file, creates an empty store in memory. Throws `UsageError`. */
export function openDatabase(file: string | undefined): Database {
  const database = openDataFile(file);
  const connection = createSqliteConnection(database);
  const close = () => {
    if (database.isOpen) database.close();
  };
  const alerts = cachePages(guardStore(createSqliteAlertStore(connection), file ?? 'in memory'));
  return { alerts, sql: connection.sql, scanTurns: ownTurns, isAvailable: () => true, close };
}
