// The check of a data file: its structure, its tables, the checksums of what a service would return, and its signing keys. Changes nothing.
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import { UsageError } from '../../lib/command-errors.ts';
import { checkAlerts } from './check-alerts.ts';
import { checkSigningKeys } from './check-keys.ts';
import { migrations } from './data-file-migrations.ts';
import { applicationID, readNumber } from './data-file.ts';
import { structuralDamage } from './integrity.ts';
import { explainTrouble } from './sqlite-failure.ts';

/** Time that the check waits for a lock. */
const lockTimeoutMs = 10_000;

/** Findings beyond these are only counted. */
const mostFindings = 50;

export interface DataFileReport {
  /** The version of the tables; 0 when the file is not readable. */
  readonly version: number;
  readonly scopes: number;
  readonly alerts: number;
  /** Alerts that an earlier version stored: without a checksum of their flag until it changes, or of their document until a scan writes it. */
  readonly withoutChecksum: number;
  /** One sentence each; none for a good file. */
  readonly findings: readonly string[];
}

/** Throws `UsageError` when the file does not exist, or is a folder. */
export function checkDataFile(file: string): DataFileReport {
  if (!existsSync(file)) throw new UsageError(`The data file ${file} does not exist.`);
  if (!statSync(file).isFile()) throw new UsageError(`${file} is not a file.`);
  try {
    const database = openToRead(file);
    try {
      return checkDatabase(database);
    } finally {
      database.close();
    }
  } catch (error) {
    return bad(0, [`The file is not readable: ${explainTrouble(error)}.`]);
  }
}

/** Without a write-ahead log beside it, reads the file alone, so that the check needs no permission to write. */
function openToRead(file: string): DatabaseSync {
  const location = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) location.searchParams.set('immutable', '1');
  return new DatabaseSync(location, { readOnly: true, timeout: lockTimeoutMs });
}

function checkDatabase(database: DatabaseSync): DataFileReport {
  // One state of the file, also while its owner writes.
  database.exec('BEGIN');
  const version = readNumber(database, 'PRAGMA user_version');
  if (readNumber(database, 'PRAGMA application_id') !== applicationID) {
    return bad(version, ['The file is no data file of this service.']);
  }
  if (version > migrations.length) return bad(version, ['A newer version of this program wrote the file.']);
  const damage = structuralDamage(database, version);
  if (damage.length > 0)
    return bad(
      version,
      damage.map((problem) => `The file is damaged: ${problem}.`),
    );
  const { findings, ...counts } = checkAlerts(database);
  const scopes = readNumber(database, 'SELECT count(*) FROM scope');
  return { version, scopes, ...counts, findings: cap([...findings, ...checkSigningKeys(database)]) };
}

function bad(version: number, findings: readonly string[]): DataFileReport {
  return { version, scopes: 0, alerts: 0, withoutChecksum: 0, findings };
}

function cap(findings: readonly string[]): readonly string[] {
  const more = findings.length - mostFindings;
  return more <= 0 ? findings : [...findings.slice(0, mostFindings), `There are ${more} more findings.`];
}
