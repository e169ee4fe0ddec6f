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
  const foreign = await tx.query(
    'SELECT 1 FROM audit WHERE written_by >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint LIMIT 1',
  );
  if (foreign.length === 0) return;
  while ((await tx.query(renumberSome)).length === renumberedAtOnce);
}

/** Records of one statement, which must end before its time limit. */
const renumberedAtOnce = 10_000;

const renumberSome = `UPDATE audit SET written_by = 0
  WHERE id IN (SELECT id FROM audit WHERE written_by <> 0 LIMIT ${renumberedAtOnce}) RETURNING id`;
