// The SQL of the alert store in SQLite: its prepared statements.
import type { DatabaseSync } from 'node:sqlite';

import { insertAudit } from '../audit/audit-record.ts';

/** The outer join returns an alert that has lost its document, so that it is an error and not missing. */
export const selectDocument = `SELECT alert.position, scope_key, alert_key, is_active, system_data, members, properties, checksum
  FROM alert LEFT JOIN document USING (position)`;

/** The database must have the tables of data-file-tables.ts. */
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
    find: database.prepare('SELECT position, is_active, system_data FROM alert WHERE scope_key = ? AND alert_key = ?'),
    setActive: database.prepare('UPDATE alert SET is_active = ?, system_data = ? WHERE position = ?'),
    putAlert: database.prepare(
      `INSERT INTO alert (scope_key, alert_key, is_active, system_data) VALUES (?, ?, ?, ?)
       ON CONFLICT (scope_key, alert_key)
       DO UPDATE SET is_active = excluded.is_active, system_data = excluded.system_data RETURNING position`,
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
