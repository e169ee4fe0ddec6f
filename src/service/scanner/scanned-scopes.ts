// Records the scopes that the source has named. When the source no longer names a scope, also after a restart, the scope is scanned
// once more with no assignments, so that its alerts do not stay active.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { SqlQueries } from '../database/sql.ts';

/** In canonical form. */
export async function listScannedScopes(sql: SqlQueries): Promise<readonly string[]> {
  const rows = await sql.query('SELECT scope_key FROM scanned_scope');
  return rows.map((row) => String(row['scope_key']));
}

/** Idempotent. */
export async function addScannedScope(sql: SqlQueries, scope: string): Promise<void> {
  await sql.query('INSERT INTO scanned_scope (scope_key) VALUES ($1) ON CONFLICT DO NOTHING', [canonicalName(scope)]);
}

export async function removeScannedScope(sql: SqlQueries, scope: string): Promise<void> {
  await sql.query('DELETE FROM scanned_scope WHERE scope_key = $1', [canonicalName(scope)]);
}
