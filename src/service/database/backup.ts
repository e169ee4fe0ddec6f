// A copy of a data file that is complete in itself, also while a service writes to the original: SQLite copies the state of one moment.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

import { LocalError, UsageError } from '../../lib/command-errors.ts';
import { isCoded } from '../../lib/errors.ts';
import { checkDataFile, type DataFileReport } from './check.ts';
import { writeNewFile } from './durable-file.ts';
import { explainTrouble } from './sqlite-failure.ts';

/** Time that the copy waits for a lock. An owner holds one for no longer than a commit. */
const lockTimeoutMs = 10_000;

/** Pages that the copy takes at a time. */
const pagesAtATime = 10_000;

/** Copies `source` to the new file `target`, readable by its owner only, and checks the copy. Resolves with what it contains. */
export async function backUpDataFile(source: string, target: string): Promise<DataFileReport> {
  if (!existsSync(source)) throw new UsageError(`The data file ${source} does not exist.`);
  if (existsSync(target)) throw new UsageError(`The file ${target} exists: name a new one.`);
  try {
    return await writeNewFile(target, async (unfinished) => {
      await copyDatabase(resolve(source), resolve(unfinished));
      return requireGood(checkDataFile(unfinished), source);
    });
  } catch (error) {
    if (isCoded(error)) throw error;
    throw new LocalError(`Cannot back up the data file ${source} to ${target}: ${explainTrouble(error)}.`);
  }
}

async function copyDatabase(source: string, target: string): Promise<void> {
  const database = new DatabaseSync(source, { timeout: lockTimeoutMs });
  try {
    // A transaction that reads keeps the state of this moment, so the copy does not begin anew when the owner writes.
    database.exec('PRAGMA query_only = ON; BEGIN');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(database, target, { rate: pagesAtATime });
  } finally {
    database.close();
  }
  makeSingleFile(target);
}

/** Without a write-ahead log the copy needs no file beside it. The service switches the log on again when it opens the copy. */
function makeSingleFile(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } finally {
    database.close();
  }
}

/** Damage in a backup would show only when the backup is needed. */
function requireGood(report: DataFileReport, source: string): DataFileReport {
  if (report.findings.length === 0) return report;
  throw new LocalError(`The data file ${source} is damaged, so no backup was made. The copy had these findings:`, {
    detail: report.findings.join('\n'),
  });
}
