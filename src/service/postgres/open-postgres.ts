// Opens the state of the service in PostgreSQL: the alerts and the small tables, over one pool of connections.
import { systemClock } from '../../lib/clock.ts';
import { LocalError, UsageError } from '../../lib/command-errors.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import type { Database } from '../database/database.ts';
import type { SqlQueries } from '../database/sql.ts';
import { whileStarting } from './advisory-locks.ts';
import { reportOf } from './classify-failure.ts';
import { orderByTransaction } from './commit-order.ts';
import { createPostgresAlertStore } from './postgres-alert-store.ts';
import { createPostgresPool, type PoolDeps } from './postgres-pool.ts';
import { prepareTables } from './postgres-tables.ts';
import { decodePostgresURL, databasePlaceOf, type PostgresSettings } from './postgres-url.ts';
import { requireSettings } from './session-settings.ts';
import { createSharedScans } from './shared-scans.ts';

/** Connects, and creates the tables. Throws `UsageError` or, when the server is not reachable, `LocalError`. */
export async function openPostgres(url: SecretText, deps: PoolDeps): Promise<Database> {
  const settings = decodePostgresURL(url);
  const pool = await createPostgresPool(settings, deps);
  try {
    await requireSettings(pool, settings);
    await whileStarting(pool, deps.log, () => prepareTables(pool));
  } catch (cause) {
    await pool.close();
    throw unusable(settings, cause);
  }
  return {
    alerts: createPostgresAlertStore(pool),
    sql: pool,
    isAvailable: () => pool.isAvailable,
    // The server measures by its own clock how long this process was paused.
    scanTurns: createSharedScans(pool, systemClock),
    auditOrder: orderByTransaction,
    whileStarting: (work) => whileStarting(pool, deps.log, work),
    close: () => pool.close(),
  };
}

/** Connects for `read`, and creates no tables. Throws as `openPostgres`. */
export async function readPostgres<T>(
  url: SecretText,
  deps: PoolDeps,
  read: (sql: SqlQueries) => Promise<T>,
): Promise<T> {
  const settings = decodePostgresURL(url);
  const pool = await createPostgresPool(settings, deps);
  try {
    return await read(pool);
  } catch (cause) {
    throw unusable(settings, cause);
  } finally {
    await pool.close();
  }
}

function unusable(settings: PostgresSettings, cause: unknown): Error {
  if (cause instanceof UsageError) return cause;
  return new LocalError(`Cannot use the database ${databasePlaceOf(settings)}: ${reportOf(cause)}.`);
}
