// The audit trail of a running service: its reader, its records of the faults, and its sweep.
import type { SqlQueries } from '../database/sql.ts';
import type { AuditOrder } from './audit-order.ts';
import { adminCause, recordChange, type AdminRequest } from './audit-record.ts';
import { createAuditSweep, type AuditSweep, type AuditSweepDeps } from './audit-sweep.ts';
import { createAuditReader, type ReadAudit } from './audit-trail.ts';

export interface Audit {
  readonly read: ReadAudit;
  /** Records a change of the faults, which no transaction has: call it before the change. */
  recordFaults(request: AdminRequest): Promise<void>;
  readonly sweep: AuditSweep;
}

/** Maximum size in memory: some 20,000 records. */
const mostBytesInMemory = 4 * 1024 * 1024;

export interface AuditDeps extends Omit<AuditSweepDeps, 'sql'> {
  readonly sql: SqlQueries;
  readonly order: AuditOrder;
  readonly isInMemory: boolean;
}

/** Undefined for a retention of 0. */
export function openAudit({ order, isInMemory, ...deps }: AuditDeps): Audit | undefined {
  if (deps.retentionMs === 0) return undefined;
  const mostBytes = isInMemory ? Math.min(deps.mostBytes, mostBytesInMemory) : deps.mostBytes;
  const sweep = createAuditSweep({ ...deps, mostBytes });
  const { sql, clock } = deps;
  return {
    read: createAuditReader(sql, order),
    recordFaults: (request) => recordChange(sql, { atMs: clock.now() }, adminCause('faults', request)),
    sweep,
  };
}
