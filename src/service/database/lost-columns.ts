// The columns and indexes that the tables of a file have lost. SQLite's check of a file does not compare them with anything: a flipped bit
// in the name of a column is sound to it, and the first statement that uses the column fails.
import { DatabaseSync } from 'node:sqlite';

import { migrations } from './data-file-migrations.ts';

/** `version` is that of the tables. One phrase for each loss; none for a version that this program does not know. */
export function lostColumns(database: DatabaseSync, version: number): readonly string[] {
  if (version < 1 || version > migrations.length) return [];
  const found = new Set(partsOf(database));
  return expectedParts(version)
    .filter((part) => !found.has(part))
    .map((part) => `${part} is missing`);
}

function expectedParts(version: number): readonly string[] {
  const database = new DatabaseSync(':memory:');
  try {
    for (const migration of migrations.slice(0, version)) database.exec(migration);
    return partsOf(database);
  } finally {
    database.close();
  }
}

function partsOf(database: DatabaseSync): readonly string[] {
  const columns = database.prepare(
    `SELECT 'the column ' || part.name || ' of the table ' || whole.name AS text
     FROM sqlite_schema AS whole JOIN pragma_table_info(whole.name) AS part WHERE whole.type = 'table'
     UNION ALL SELECT 'the index ' || name FROM sqlite_schema WHERE type = 'index'`,
  );
  return columns.all().map((row) => String(row['text']));
}
