// Opens the state of the service in SQLite: the alerts with their page cache, and the small tables, over one connection.
import type { DatabaseSync } from 'node:sqlite';

import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { cachePages } from '../alerts/page-cache.ts';
import { createSqliteAlertStore } from '../alerts/sqlite-alert-store.ts';
import { orderByID } from '../audit/audit-order.ts';
import { createMemoryAttemptCounters } from '../oauth/memory-attempt-counters.ts';
import { ownTurns } from '../scanner/scan-turns.ts';
import { openDataFile, probeWrite } from './data-file.ts';
import type { Database } from './database.ts';
import { type DiskSpace, type DiskSpaceDeps, watchDiskSpace } from './disk-space.ts';
import { type Guarded, guardSql, guardStore } from './guarded-store.ts';
import { watchNames } from './lost-file.ts';
import { createSqliteConnection } from './sqlite-connection.ts';

/** A service that nothing observes, as in tests. */
const unobserved: DiskSpaceDeps = { clock: systemClock, log: silentLogger };

/** Opens or creates the data file; without a file, creates an empty store in memory. Throws `UsageError`. */
export function openDatabase(file: string | undefined, deps = unobserved): Database {
  const database = openDataFile(file);
  const path = database.location();
  const connection = createSqliteConnection(database, path === null ? undefined : watchNames(path));
  const space = watchDiskSpace(() => connection.takeTurn(() => probeWrite(database)), deps);
  if (file !== undefined) probeSpace(database, space);
  const guarded: Guarded = { file: file ?? 'in memory', onFailed: (error) => space.failed(error) };
  const close = () => {
    space.stop();
    if (database.isOpen) database.close();
  };
  return {
    alerts: cachePages(guardStore(createSqliteAlertStore(connection), guarded)),
    sql: guardSql(connection.sql, guarded),
    scanTurns: ownTurns,
    auditOrder: orderByID,
    createAttemptCounters: (clock) => createMemoryAttemptCounters(clock),
    // The owner of the file is alone.
    whileStarting: (work) => work(),
    isAvailable: () => true,
    isReadOnly: () => space.isFull,
    close,
  };
}

/** So that a service that starts on a full disk is not ready for updates before the first one fails. */
function probeSpace(database: DatabaseSync, space: DiskSpace): void {
  try {
    probeWrite(database);
  } catch (error) {
    space.failed(error);
  }
}
