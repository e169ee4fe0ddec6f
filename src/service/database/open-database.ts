// Opens the state of the service in SQLite: the alerts with their page cache, and the small tables, over one connection.
import { cachePages } from '../alerts/page-cache.ts';
import { createSqliteAlertStore } from '../alerts/sqlite-alert-store.ts';
import { orderByID } from '../audit/audit-order.ts';
import { openDataFile } from './data-file.ts';
import type { Database } from './database.ts';
import { guardSql, guardStore } from './guarded-store.ts';
import { watchNames } from './lost-file.ts';
import { ownTurns } from './scan-turns.ts';
import { createSqliteConnection } from './sqlite-connection.ts';

/** Opens or creates the data file; without a file, creates an empty store in memory. Throws `UsageError`. */
export function openDatabase(file: string | undefined): Database {
  const database = openDataFile(file);
  const path = database.location();
  const connection = createSqliteConnection(database, path === null ? undefined : watchNames(path));
  const place = file ?? 'in memory';
  return {
    alerts: cachePages(guardStore(createSqliteAlertStore(connection), place)),
    sql: guardSql(connection.sql, place),
    scanTurns: ownTurns,
    auditOrder: orderByID,
    // The owner of the file is alone.
    whileStarting: (work) => work(),
    isAvailable: () => true,
    close() {
      if (database.isOpen) database.close();
    },
  };
}
