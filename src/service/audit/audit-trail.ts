// Reads the audit trail in pages, and deletes its old records in bounded steps.
import { canonicalName } from '../../alerts/resource-id.ts';
import { isString, type JsonObject } from '../../lib/json-shape.ts';
import type { SqlQueries, SqlRow, SqlValue } from '../database/sql.ts';
import type { AuditOrder } from './audit-order.ts';
import { auditColumns } from './audit-record.ts';

/** The place of a record in the order of the trail. */
export interface AuditPosition {
  /** See `AuditOrder`. */
  readonly commitOrder: number;
  readonly id: number;
}

export interface AuditQuery {
  readonly scope?: string | undefined;
  /** Only with a scope. */
  readonly alertName?: string | undefined;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  /** Of the last record already seen; both parts are 0 for the first page. */
  readonly after: AuditPosition;
  readonly limit: number;
}

/** Records in the order in which they were written. */
export interface AuditPage {
  readonly records: readonly JsonObject[];
  /** That of the last record, if more follow. */
  readonly next?: AuditPosition;
}

export type ReadAudit = (query: AuditQuery) => Promise<AuditPage>;

export function createAuditReader(sql: SqlQueries, order: AuditOrder): ReadAudit {
  const texts = textsFor(order);
  return async ({ scope, alertName, sinceMs, after, limit }) => {
    const names = [scope, alertName].filter(isString).map(canonicalName);
    const text = texts[names.length] ?? '';
    const rows = await sql.query(text, [after.commitOrder, after.id, sinceMs, limit + 1, ...names]);
    const last = rows[limit - 1];
    return {
      records: rows.slice(0, limit).map(recordOf),
      ...(rows.length > limit && last && { next: positionOf(last) }),
    };
  };
}

/** The statements for no name, for a scope, and for an alert. */
function textsFor({ commitOrder, isAfter, orderBy }: AuditOrder): readonly string[] {
  return ['', ' AND scope_key = $5', ' AND scope_key = $5 AND alert_key = $6'].map(
    (hasNames) => `SELECT ${commitOrder} AS commit_order, id, ${auditColumns} FROM audit
      WHERE ${isAfter} AND at_ms >= $3${hasNames} ORDER BY ${orderBy} LIMIT $4`,
  );
}

function positionOf(row: SqlRow): AuditPosition {
  return { commitOrder: Number(row['commit_order']), id: Number(row['id']) };
}

function recordOf(row: SqlRow): JsonObject {
  return {
    id: Number(row['id']),
    at: new Date(Number(row['at_ms'])).toISOString(),
    action: row['action'],
    actorType: row['actor_type'],
    actor: row['actor'],
    client: row['client_id'],
    clientAddress: row['client_address'],
    requestID: row['request_id'],
    scope: row['scope_key'],
    alert: row['alert_key'],
    from: flagOf(row['was_active']),
    to: flagOf(row['is_active']),
  };
}

function flagOf(column: SqlValue | undefined): boolean | null {
  return column === null || column === undefined ? null : Number(column) === 1;
}

/** Records that one statement deletes, so that requests wait for no long one. */
const deletedAtOnce = 1000;

const deleteOld = `DELETE FROM audit WHERE id IN
  (SELECT id FROM audit WHERE at_ms < $1 ORDER BY at_ms LIMIT ${deletedAtOnce}) RETURNING id`;

/** Deletes a bounded number of records from before `beforeMs`. True if more may follow. */
export async function deleteOldAudit(sql: SqlQueries, beforeMs: number): Promise<boolean> {
  return (await sql.query(deleteOld, [beforeMs])).length === deletedAtOnce;
}
