// Which scopes the scanner looks after: those that its source named once. A scope that the source no longer names is
// scanned once more, as one without assignments, so that nothing keeps firing for what is gone; also after a restart.
import type { DatabaseSync } from 'node:sqlite';

import { canonicalName } from '../../alerts/resource-id.ts';

export interface ScannedScopes {
  /** In their spelling as a key. */
  list(): readonly string[];
  /** Repetition is harmless. */
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
