// Whether a data file has a table, which depends on the version that wrote it.
import type { DatabaseSync } from 'node:sqlite';

export function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}
