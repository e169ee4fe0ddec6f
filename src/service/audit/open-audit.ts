// The audit trail of a running service: its reader and its sweep.
import type { SqlQueries } from '../database/sql.ts';
import type { AuditOrder } from './audit-order.ts';
import { createAuditSweep, type AuditSweep, type AuditSweepDeps } from './audit-sweep.ts';
import { createAuditReader, type ReadAudit } from './audit-trail.ts';

export interface Audit {
  readonly read: ReadAudit;
  readonly sweep: AuditSweep;
}

/** Number of records of a state in memory; a data file has none, because its records last as long as asked. */
const mostRecordsInMemory = 10_000;

export interface AuditDeps extends Omit<AuditSweepDeps, 'mostRecords' | 'sql'> {
  readonly sql: SqlQueries;
  readonly order: AuditOrder;
  readonly isInMemory: boolean;
}

/** Undefined for a retention of 0. */
export function openAudit({ order, isInMemory, ...deps }: AuditDeps): Audit | undefined {
  if (deps.retentionMs === 0) return undefined;
  const sweep = createAuditSweep({ ...deps, mostRecords: isInMemory ? mostRecordsInMemory : undefined });
  return { read: createAuditReader(deps.sql, order), sweep };
}
