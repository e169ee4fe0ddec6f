// A record of the audit trail: who changed what, when and from where. It contains no secret, and of a request only its id and the
// address of its client. A store writes it in the transaction of the change.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { SqlQueries, SqlValue } from '../database/sql.ts';

/** Who or what causes a change. */
export interface ChangeCause {
  readonly action: 'update' | 'scan' | 'fault' | 'seed' | 'reset' | 'clock' | 'faults';
  readonly actorType: 'user' | 'client' | 'static-token' | 'scanner' | 'fault' | 'admin';
  /** The name in `systemData.lastModifiedBy`; for the admin port `admin`. */
  readonly actor: string;
  /** The client that acted for a user; absent for other actors. */
  readonly clientID?: string | undefined;
  /** Absent when no request caused the change. */
  readonly clientAddress?: string | undefined;
  readonly requestID?: string | undefined;
}

/** The request to the admin port behind a change. */
export type AdminRequest = Pick<ChangeCause, 'clientAddress' | 'requestID'>;

export function adminCause(action: ChangeCause['action'], { clientAddress, requestID }: AdminRequest): ChangeCause {
  return { action, actorType: 'admin', actor: 'admin', clientAddress, requestID };
}

/** What changed. Without a scope it is the whole state; without an alert, the whole scope. */
export interface AuditedChange {
  readonly atMs: number;
  readonly scope?: string;
  readonly alertName?: string;
  /** The flag before; absent for a new alert. */
  readonly from?: boolean;
  readonly to?: boolean;
}

/** In the order of `auditParameters`. */
export const auditColumns =
  'at_ms, action, actor_type, actor, client_id, client_address, request_id, scope_key, alert_key, was_active, is_active';

/** SQLite and PostgreSQL both take it. Its parameters are those of `auditParameters`. */
export const insertAudit = `INSERT INTO audit (${auditColumns})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

export function auditParameters(change: AuditedChange, cause: ChangeCause): readonly SqlValue[] {
  const { action, actorType, actor, clientID = null, clientAddress = null, requestID = null } = cause;
  const { atMs, scope, alertName, from, to } = change;
  const place = [scope, alertName].map((name) => (name === undefined ? null : canonicalName(name)));
  return [atMs, action, actorType, actor, clientID, clientAddress, requestID, ...place, columnOf(from), columnOf(to)];
}

function columnOf(flag: boolean | undefined): SqlValue {
  return flag === undefined ? null : Number(flag);
}

/** `sql` is the transaction of the change. */
export async function recordChange(sql: SqlQueries, change: AuditedChange, cause: ChangeCause): Promise<void> {
  await sql.query(insertAudit, auditParameters(change, cause));
}
