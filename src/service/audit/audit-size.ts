// Bounds the audit trail in bytes. Measures new records in parts, remembers the size of each part, and deletes the oldest parts. So no step
// reads or deletes many records, and the updates that write them know nothing of it.
import type { SqlQueries } from '../database/sql.ts';

export interface AuditSize {
  /** Takes a bounded step. True if more may follow. */
  step(): Promise<boolean>;
  /** Bytes of the records that were measured and not deleted. */
  readonly bytes: number;
}

export interface AuditSizeDeps {
  readonly sql: SqlQueries;
  readonly mostBytes: number;
  /** Called with each deletion. */
  readonly onDeleted: () => void;
}

/** Records in sequence, up to and with `lastID`. */
interface Part {
  readonly lastID: number;
  readonly bytes: number;
}

const measuredAtOnce = 10_000;
const deletedAtOnce = 1000;

/** What a row and its entries in the indexes take in SQLite, beside the texts and the second copy of the scope in an index. */
const bytesOfRow = 80;

const texts = ['action', 'actor_type', 'actor', 'client_id', 'client_address', 'request_id', 'scope_key', 'alert_key'];
const sizeOfRow = ['scope_key', ...texts].map((text) => `coalesce(octet_length(${text}), 0)`).join(' + ');

const measure = `SELECT count(*) AS records, max(id) AS last_id, sum(size) AS bytes FROM (
  SELECT id, ${bytesOfRow} + ${sizeOfRow} AS size FROM audit WHERE id > $1 ORDER BY id LIMIT ${measuredAtOnce}
) AS part`;
const findFirst = 'SELECT min(id) AS first_id FROM audit';
const deleteSome = `DELETE FROM audit WHERE id IN
  (SELECT id FROM audit WHERE id <= $1 ORDER BY id LIMIT ${deletedAtOnce}) RETURNING id`;

export function createAuditSize({ sql, mostBytes, onDeleted }: AuditSizeDeps): AuditSize {
  /** The oldest first. */
  const parts: Part[] = [];
  let bytes = 0;

  /** Small parts grow together, so that there are few. */
  const add = (part: Part) => {
    const last = parts.at(-1);
    const isSmall = last !== undefined && last.bytes < mostBytes / 100;
    if (isSmall) parts.pop();
    parts.push({ lastID: part.lastID, bytes: part.bytes + (isSmall ? last.bytes : 0) });
    bytes += part.bytes;
  };

  const dropFirst = () => {
    bytes -= parts.shift()?.bytes ?? 0;
  };

  const measureNext = async () => {
    const [row] = await sql.query(measure, [parts.at(-1)?.lastID ?? 0]);
    const records = Number(row?.['records']);
    if (records > 0) add({ lastID: Number(row?.['last_id']), bytes: Number(row?.['bytes']) });
    return records === measuredAtOnce;
  };

  /** Parts that were deleted for their age, or by another process. */
  const dropDeleted = async () => {
    const [row] = await sql.query(findFirst);
    const firstID = row?.['first_id'] ?? Infinity;
    while (parts[0] && parts[0].lastID < Number(firstID)) dropFirst();
  };

  const deleteOldest = async () => {
    const [oldest] = parts;
    if (!oldest || bytes <= mostBytes) return false;
    const deleted = await sql.query(deleteSome, [oldest.lastID]);
    if (deleted.length > 0) onDeleted();
    if (deleted.length < deletedAtOnce) dropFirst();
    return true;
  };

  return {
    get bytes() {
      return bytes;
    },
    async step() {
      const hasMore = await measureNext();
      await dropDeleted();
      return (await deleteOldest()) || hasMore;
    },
  };
}
