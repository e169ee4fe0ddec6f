// The state of the service: the alerts and the small tables, in one database and under one kind of transaction.
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { AlertStore } from '../alerts/alert-store.ts';
import type { AuditOrder } from '../audit/audit-order.ts';
import type { ScanTurns } from './scan-turns.ts';
import type { Sql } from './sql.ts';

export interface Database {
  readonly alerts: AlertStore;
  readonly sql: Sql;
  readonly scanTurns: ScanTurns;
  readonly auditOrder: AuditOrder;
  /** Runs `work` while no other process prepares the same database. */
  whileStarting<T>(work: () => Promise<T>): Promise<T>;
  /** False while the database is not reachable: then every operation fails. */
  isAvailable(): boolean;
  /** Idempotent. */
  close(): MaybePromise<void>;
}
