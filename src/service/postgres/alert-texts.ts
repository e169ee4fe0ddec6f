// The SQL of the alert store on PostgreSQL.
import { auditColumns } from '../audit/audit-record.ts';

const documentColumns = 'position, is_active, system_data, members, properties';

/** The lists `$1` and `$2` are scopes and alert names, in pairs. */
const wantedAlerts = 'unnest($1::text[], $2::text[]) AS wanted (scope_key, alert_key)';

export const alertTexts = {
  anyScope: 'SELECT 1 FROM scope LIMIT 1',
  knownScopes: 'SELECT scope_key FROM scope WHERE scope_key = ANY ($1::text[])',
  removeScope: 'DELETE FROM scope WHERE scope_key = $1',
  addScope: 'INSERT INTO scope (scope_key) VALUES ($1) ON CONFLICT (scope_key) DO NOTHING',
  page: `SELECT ${documentColumns} FROM alert JOIN document USING (position)
          WHERE scope_key = $1 AND position > $2 ORDER BY position LIMIT $3`,
  document: `SELECT ${documentColumns} FROM alert JOIN document USING (position) WHERE scope_key = $1 AND alert_key = $2`,
  flags: `SELECT position, scope_key, alert_key, is_active, system_data FROM ${wantedAlerts}
            JOIN alert USING (scope_key, alert_key)`,
  /**
   * Writes the rows that are still as `flags` returned them, with their records in the audit trail, and returns which. It locks them in
   * the order of their positions, so that the batches of two processes never wait for each other.
   */
  setFlags: `WITH next AS (
               SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::text[])
                 AS next (position, old_active, old_data, is_active, system_data)
             ), locked AS MATERIALIZED (
               SELECT position, next.is_active, next.system_data FROM alert JOIN next USING (position)
                WHERE alert.is_active = old_active AND alert.system_data IS NOT DISTINCT FROM old_data
                ORDER BY position FOR UPDATE OF alert
             ), written AS (
               UPDATE alert SET is_active = locked.is_active, system_data = locked.system_data
                 FROM locked WHERE alert.position = locked.position RETURNING alert.position
             ), recorded AS (
               INSERT INTO audit (${auditColumns})
               SELECT ${auditColumns} FROM written JOIN unnest($6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[],
                   $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::integer[], $17::integer[])
                 WITH ORDINALITY AS record (position, ${auditColumns}, ordinality) USING (position)
                ORDER BY ordinality
             )
             SELECT position FROM written`,
  /** One statement, so that an alert never exists without its document. */
  putAlert: `WITH added AS (
               INSERT INTO scope (scope_key) VALUES ($1) ON CONFLICT (scope_key) DO NOTHING
             ), put AS (
               INSERT INTO alert (scope_key, alert_key, is_active, system_data) VALUES ($1, $2, $3, $4)
               ON CONFLICT (scope_key, alert_key)
               DO UPDATE SET is_active = excluded.is_active, system_data = excluded.system_data RETURNING position
             )
             INSERT INTO document (position, members, properties) SELECT position, $5, $6 FROM put
             ON CONFLICT (position) DO UPDATE SET members = excluded.members, properties = excluded.properties`,
  setProperties: 'UPDATE document SET properties = $2 WHERE position = $1',
  count: 'SELECT count(*) AS all, coalesce(sum(is_active), 0) AS active FROM alert',
  remove: 'DELETE FROM alert WHERE scope_key = $1 AND alert_key = $2 RETURNING position',
};
