// The structure of a file: SQLite's own check of every page, every row, and every index against its table, the columns of the tables, and
// the scopes of the alerts.
import type { DatabaseSync } from 'node:sqlite';

import { cleanText } from '../../lib/clean-text.ts';
import { messageOf } from '../../lib/errors.ts';
import { hasTable } from './has-table.ts';
import { lostColumns } from './lost-columns.ts';
import { troubleOf } from './sqlite-failure.ts';

/** The check ends after this number of problems. */
const mostProblems = 20;

/** The problems, without full stops; none in a sound file with tables of `version`. Reads the whole file. */
export function structuralDamage(database: DatabaseSync, version: number): readonly string[] {
  try {
    const rows = database.prepare(`PRAGMA integrity_check(${mostProblems})`).all();
    const problems = rows.flatMap((row) => String(Object.values(row)[0]).split('\n'));
    const found = problems.filter((problem) => problem !== 'ok' && !problem.startsWith('***'));
    if (found.length > 0) return found;
    const lost = lostColumns(database, version);
    return lost.length > 0 ? lost : lostScopes(database);
  } catch (error) {
    if (troubleOf(error) !== 'damaged') throw error;
    return [messageOf(error)];
  }
}

/** The scopes that alerts have lost. A table that lost all of them is sound for SQLite, and would pass for one without a seed. */
function lostScopes(database: DatabaseSync): readonly string[] {
  if (!hasTable(database, 'alert')) return [];
  const rows = database.prepare(
    `SELECT DISTINCT scope_key FROM alert WHERE scope_key NOT IN (SELECT scope_key FROM scope) LIMIT ${mostProblems}`,
  );
  return rows.all().map((row) => `alerts have lost their scope ${cleanText(String(row['scope_key']))}`);
}
