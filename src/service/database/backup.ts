// A copy of a data file that is complete in itself, also while a service writes to the original: SQLite copies the state of one moment.
import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

import { LocalError, UsageError } from '../../lib/command-errors.ts';
import { isCoded, messageOf } from '../../lib/errors.ts';
import { selectDocument } from '../alerts/alert-statements.ts';
import { intactDocument, type SummedRow } from '../alerts/intact-document.ts';
import { readNumber } from './data-file.ts';
import { withUnfinished, writeNewFile } from './durable-file.ts';
import { structuralDamage } from './integrity.ts';
import { openReader, requireDataFile } from './read-data-file.ts';
import { explainTrouble } from './sqlite-failure.ts';

/** Pages that the copy takes at a time. */
const pagesAtATime = 10_000;

/** Findings that a message names. */
const mostFindings = 50;

/** What a copy contains. */
export interface BackupCounts {
  readonly scopes: number;
  readonly alerts: number;
}

/** Copies `source` to the new file `target`, readable by its owner only, and checks the copy. Resolves with what it contains. */
export async function backUpDataFile(source: string, target: string): Promise<BackupCounts> {
  requireDataFile(source);
  if (existsSync(target)) throw new UsageError(`The file ${target} exists: name a new one.`);
  return explained(`${source} to ${target}`, () => writeNewFile(target, (unfinished) => copyGood(source, unfinished)));
}

/**
 * Copies `source` to a file beside it, checks the copy, passes it to `send` in pieces, each after the one before was taken, and removes
 * it. Resolves with what it contains; rejects as `send` does.
 */
export async function sendBackup(source: string, send: (piece: Uint8Array) => Promise<void>): Promise<BackupCounts> {
  requireDataFile(source);
  return explained(source, () =>
    withUnfinished(source, async (unfinished) => {
      const counts = await copyGood(source, unfinished);
      for await (const piece of createReadStream(unfinished) as AsyncIterable<Buffer>) await send(piece);
      return counts;
    }),
  );
}

async function explained<T>(names: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isCoded(error)) throw error;
    throw new LocalError(`Cannot back up the data file ${names}: ${explainTrouble(error)}.`);
  }
}

async function copyGood(source: string, unfinished: string): Promise<BackupCounts> {
  await copyDatabase(resolve(source), resolve(unfinished));
  return countGood(unfinished, source);
}

async function copyDatabase(source: string, target: string): Promise<void> {
  const database = openReader(source);
  try {
    // A transaction that reads keeps the state of this moment, so the copy does not begin anew when the owner writes.
    database.exec('BEGIN');
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
function countGood(file: string, source: string): BackupCounts {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const findings = [...structuralDamage(database)];
    if (findings.length === 0) findings.push(...damagedDocuments(database, source));
    if (findings.length > 0) {
      throw new LocalError(`The data file ${source} is damaged, so no backup was made. The copy had these findings:`, {
        detail: findings.slice(0, mostFindings).join('\n'),
      });
    }
    const scopes = readNumber(database, 'SELECT count(*) FROM scope');
    return { scopes, alerts: readNumber(database, 'SELECT count(*) FROM alert') };
  } finally {
    database.close();
  }
}

function damagedDocuments(database: DatabaseSync, source: string): readonly string[] {
  const findings: string[] = [];
  for (const row of database.prepare(selectDocument).iterate() as Iterable<unknown>) {
    try {
      intactDocument(row as SummedRow, source);
    } catch (error) {
      findings.push(messageOf(error));
    }
  }
  return findings;
}
