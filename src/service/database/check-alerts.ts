// The part of the check that reads every alert: its document, its checksums, and whether its texts are JSON.
import type { DatabaseSync } from 'node:sqlite';

import { parseJson } from '../../lib/json-shape.ts';
import { alertChecksum, documentChecksum } from '../alerts/alert-checksum.ts';
import { alertText } from '../alerts/alert-document.ts';
import { readNumber } from './data-file.ts';

interface CheckedRow {
  readonly scope_key: string;
  readonly alert_key: string;
  readonly is_active: number;
  readonly system_data: string | null;
  /** Null without a document. */
  readonly members: string | null;
  readonly properties: string | null;
  /** Null in a row that an earlier version wrote. */
  readonly alert_sum: number | null;
  readonly document_sum: number | null;
}

export interface CheckedAlerts {
  readonly alerts: number;
  readonly withoutChecksum: number;
  readonly findings: readonly string[];
}

export function checkAlerts(database: DatabaseSync): CheckedAlerts {
  const counts = { alerts: 0, withoutChecksum: 0 };
  const findings: string[] = [];
  for (const row of rowsOf(database)) {
    counts.alerts += 1;
    if (row.alert_sum === null || row.document_sum === null) counts.withoutChecksum += 1;
    const problem = problemOf(row);
    if (problem !== undefined) findings.push(`The alert ${row.alert_key} of the scope ${row.scope_key} ${problem}.`);
  }
  return { ...counts, findings };
}

function rowsOf(database: DatabaseSync): Iterable<CheckedRow> {
  const sums = hasChecksums(database) ? ['alert.checksum', 'document.checksum'] : ['NULL', 'NULL'];
  const rows = database.prepare(
    `SELECT scope_key, alert_key, is_active, system_data, members, properties, ${sums[0]} AS alert_sum, ${sums[1]} AS document_sum
       FROM alert LEFT JOIN document USING (position)`,
  );
  return rows.iterate() as Iterable<unknown> as Iterable<CheckedRow>;
}

/** False for the tables of an earlier version, which a check does not migrate. */
function hasChecksums(database: DatabaseSync): boolean {
  return readNumber(database, "SELECT count(*) FROM pragma_table_info('alert') WHERE name = 'checksum'") === 1;
}

function problemOf({ members, properties, ...row }: CheckedRow): string | undefined {
  if (members === null || properties === null) return 'has no document';
  if (row.alert_sum !== null && row.alert_sum !== alertChecksum(row)) return 'has a wrong checksum of its flag';
  const { scope_key, alert_key } = row;
  if (
    row.document_sum !== null &&
    row.document_sum !== documentChecksum({ scope_key, alert_key, members, properties })
  ) {
    return 'has a wrong checksum of its document';
  }
  const text = alertText({ isActive: row.is_active === 1, systemData: row.system_data, members, properties });
  return parseJson(text) === undefined ? 'is not JSON' : undefined;
}
