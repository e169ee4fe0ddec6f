// The SQL of the alert store in SQLite: its prepared statements, and the rows with checksums that they return.
import type { DatabaseSync } from 'node:sqlite';

import { insertAudit } from '../audit/audit-record.ts';
import type { SummedAlert } from './alert-checksum.ts';
import type { StoredAlertRow } from './stored-rows.ts';

export interface SummedAlertRow extends StoredAlertRow, SummedAlert {
  /** Null in a row that an earlier version wrote, as is `document_sum`. */
  readonly alert_sum: number | null;
}

export interface SummedDocumentRow extends SummedAlertRow {
  /** Null without a document, as is `properties`. */
  readonly members: string | null;
  readonly properties: string | null;
  readonly document_sum: number | null;
}

const alertColumns =
  'alert.position, alert.scope_key, alert.alert_key, alert.is_active, alert.system_data, alert.checksum AS alert_sum';

/** The outer join returns an alert that has lost its document, so that it is an error and not missing. */
const selectDocument = `SELECT ${alertColumns}, members, properties, document.checksum AS document_sum
  FROM alert LEFT JOIN document USING (position)`;

/** The database must have the tables of data-file-migrations.ts. */
export function prepareAll(database: DatabaseSync) {
  return {
    anyScope: database.prepare('SELECT 1 FROM scope LIMIT 1'),
    findScope: database.prepare('SELECT 1 FROM scope WHERE scope_key = ?'),
    removeScope: database.prepare('DELETE FROM scope WHERE scope_key = ?'),
    addScope: database.prepare('INSERT OR IGNORE INTO scope (scope_key) VALUES (?)'),
    page: database.prepare(
      `${selectDocument} WHERE scope_key = ? AND alert.position > ? ORDER BY alert.position LIMIT ?`,
    ),
    readDocument: database.prepare(`${selectDocument} WHERE scope_key = ? AND alert_key = ?`),
    find: database.prepare(`SELECT ${alertColumns} FROM alert WHERE scope_key = ? AND alert_key = ?`),
    setActive: database.prepare('UPDATE alert SET is_active = ?, system_data = ?, checksum = ? WHERE position = ?'),
    putAlert: database.prepare(
      `INSERT INTO alert (scope_key, alert_key, is_active, system_data, checksum) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (scope_key, alert_key)
       DO UPDATE SET is_active = excluded.is_active, system_data = excluded.system_data, checksum = excluded.checksum
       RETURNING position`,
    ),
    putDocument: database.prepare(
      'INSERT OR REPLACE INTO document (position, members, properties, checksum) VALUES (?, ?, ?, ?)',
    ),
    setProperties: database.prepare('UPDATE document SET properties = ?, checksum = ? WHERE position = ?'),
    count: database.prepare('SELECT count(*) AS "all", total(is_active) AS active FROM alert'),
    insertAudit: database.prepare(insertAudit),
    remove: database.prepare('DELETE FROM alert WHERE scope_key = ? AND alert_key = ?'),
  };
}
