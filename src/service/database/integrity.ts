// The structure of a file: SQLite's own check of every page, every row, and every index against its table.
import type { DatabaseSync } from 'node:sqlite';

import { messageOf } from '../../lib/errors.ts';
import { troubleOf } from './sqlite-failure.ts';

/** The check ends after this number of problems. */
const mostProblems = 20;

/** The problems, without full stops; none in a sound file. Reads the whole file. */
export function structuralDamage(database: DatabaseSync): readonly string[] {
  try {
    const rows = database.prepare(`PRAGMA integrity_check(${mostProblems})`).all();
    const problems = rows.flatMap((row) => String(Object.values(row)[0]).split('\n'));
    return problems.filter((problem) => problem !== 'ok' && !problem.startsWith('***'));
  } catch (error) {
    if (troubleOf(error) !== 'damaged') throw error;
    return [messageOf(error)];
  }
}
