// The SQL of the alert store in SQLite: its prepared statements.
import type { DatabaseSync } from 'node:sqlite';

/** The database must have the tables of data-file-migrations.ts. */
export function prepareAll(database: DatabaseSync) {
  return {
    anyScope: database.prepare('SELECT 1 FROM scope LIMIT 1'),
    findScope: database.prepare('SELECT 1 FROM scope WHERE scope_key = ?'),
    addScope: database.prepare('INSERT OR IGNORE INTO scope (scope_key) VALUES (?)'),
    page: database.prepare(
      `SELECT alert.position, is_active, system_data, members, properties
         FROM alert JOIN document USING (position)
        WHERE scope_key = ? AND alert.position > ? ORDER BY alert.position LIMIT ?`,
    ),
    readDocument: database.prepare(
      `SELECT alert.position, is_active, system_data, members, properties
         FROM alert JOIN document USING (position) WHERE scope_key = ? AND alert_key = ?`,
    ),
    find: database.prepare('SELECT position, is_active, system_data FROM alert WHERE scope_key = ? AND alert_key = ?'),
    setActive: database.prepare('UPDATE alert SET is_active = ?, system_data = ? WHERE position = ?'),
    putAlert: database.prepare(
      `INSERT INTO alert (scope_key, alert_key, is_active, system_data) VALUES (?, ?, ?, ?)
       ON CONFLICT (scope_key, alert_key)
       DO UPDATE SET is_active = excluded.is_active, system_data = excluded.system_data RETURNING position`,
    ),
    putDocument: database.prepare('INSERT OR REPLACE INTO document (position, members, properties) VALUES (?, ?, ?)'),
    readProperties: database.prepare('SELECT properties FROM document WHERE position = ?'),
    setProperties: database.prepare('UPDATE document SET properties = ? WHERE position = ?'),
    count: database.prepare('SELECT count(*) AS "all", total(is_active) AS active FROM alert'),
    remove: database.prepare('DELETE FROM alert WHERE scope_key = ? AND alert_key = ?'),
  };
}
