// Opens the state of the service in PostgreSQL: the alerts and the small tables, over one pool of connections.
import { LocalError, UsageError } from '../../lib/command-errors.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import type { Database } from '../database/database.ts';
import { rememberClosedKeys } from '../oauth/closed-keys.ts';
import { whileStarting } from './advisory-locks.ts';
import { reportOf } from './classify-failure.ts';
import { orderByTransaction } from './commit-order.ts';
import { upgradeLimits } from './pool-config.ts';
import { createPostgresAlertStore } from './postgres-alert-store.ts';
import { createPostgresPool, type PoolDeps } from './postgres-pool.ts';
import { migrate } from './postgres-tables.ts';
import { decodePostgresURL, databasePlaceOf, type PostgresSettings } from './postgres-url.ts';
import { requireSettings } from './session-settings.ts';
import { createSharedAttemptCounters } from './shared-attempt-counters.ts';
import { createSharedScans } from './shared-scans.ts';

/** Connects, and creates or upgrades the tables. Throws `UsageError` or, when the server is not reachable, `LocalError`. */
export async function openPostgres(url: SecretText, deps: PoolDeps): Promise<Database> {
  const settings = await decodePostgresURL(url);
  const pool = await createPostgresPool(settings, deps);
  try {
    await requireSettings(pool, settings);
    await whileStarting(pool, deps.log, () => upgrade(settings, deps));
  } catch (cause) {
    await pool.close();
    if (cause instanceof UsageError) throw cause;
    throw new LocalError(`Cannot use the database ${databasePlaceOf(settings)}: ${reportOf(cause)}.`);
  }
  return {
    alerts: createPostgresAlertStore(pool),
    sql: pool,
    isAvailable: () => pool.isAvailable,
    isReadOnly: () => false,
    scanTurns: createSharedScans(pool, deps.clock),
    auditOrder: orderByTransaction,
    createAttemptCounters: (clock) => rememberClosedKeys(createSharedAttemptCounters(pool, clock), clock),
    whileStarting: (work) => whileStarting(pool, deps.log, work),
    close: () => pool.close(),
  };
}

/** Creates or upgrades the tables on a connection whose statements may take long. */
async function upgrade(settings: PostgresSettings, deps: PoolDeps): Promise<void> {
  const pool = await createPostgresPool(settings, deps, upgradeLimits);
  try {
    await migrate(pool);
  } finally {
    await pool.close();
  }
}
