// Records the scopes that the source has named. When the source no longer names a scope, also after a restart, the scope is scanned
// once more with no assignments, so that its alerts do not stay active.
import type { DatabaseSync } from 'node:sqlite';

import { canonicalName } from '../../alerts/resource-id.ts';

export interface ScannedScopes {
  /** In canonical form. */
  list(): readonly string[];
  /** Idempotent. */
  add(scope: string): void;
  remove(scope: string): void;
}

export function createScannedScopes(database: DatabaseSync): ScannedScopes {
  const list = database.prepare('SELECT scope_key FROM scanned_scope');
  const add = database.prepare('INSERT OR IGNORE INTO scanned_scope (scope_key) VALUES (?)');
  const remove = database.prepare('DELETE FROM scanned_scope WHERE scope_key = ?');
  return {
    list: () => list.all().map((row) => String(row['scope_key'])),
    add: (scope) => void add.run(canonicalName(scope)),
    remove: (scope) => void remove.run(canonicalName(scope)),
  };
}
