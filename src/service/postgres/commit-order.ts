// The order of audit records in PostgreSQL: by the id of the transaction that wrote them. A record gets its own id before its transaction
// commits, so ids become visible in any order, and a reader that goes on after the last id would miss those that come late.
import type { AuditOrder } from '../audit/audit-order.ts';
import type { PostgresQueries } from './postgres-pool.ts';

/** Records of transactions that are older than every running one, of which none can come later. */
export const orderByTransaction: AuditOrder = {
  commitOrder: 'written_by',
  isAfter: '(written_by, id) > ($1, $2) AND written_by < pg_snapshot_xmin(pg_current_snapshot())::text::bigint',
  orderBy: 'written_by, id',
};

/**
 * In another server, as after a restored dump, the ids of transactions begin anew: all records that are there come first, in the order of
 * their ids, because the numbers of some may be low enough to pass for transactions of this server.
 */
export async function renumberForeignRecords(tx: PostgresQueries): Promise<void> {
  await tx.query(
    `UPDATE audit SET written_by = 0 WHERE written_by <> 0 AND EXISTS (
       SELECT FROM audit WHERE written_by >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
     )`,
  );
}
