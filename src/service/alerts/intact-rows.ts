// Refuses rows that are not what the store wrote, before anything of them is returned or changed.
import { cleanText } from '../../lib/clean-text.ts';
import { DataFileError } from '../database/data-file-error.ts';
import { alertChecksum, documentChecksum, type SummedDocument } from './alert-checksum.ts';
import type { SummedAlertRow, SummedDocumentRow } from './alert-statements.ts';

type IntactDocumentRow = SummedDocumentRow & SummedDocument;

/** The row itself. Throws `data-file-damaged`; `file` is for the message. */
export function intactAlert(row: SummedAlertRow, file: string): SummedAlertRow {
  if (row.alert_sum === null || row.alert_sum === alertChecksum(row)) return row;
  throw damaged(row, file, 'its flag and systemData have another checksum');
}

/** The row itself. Throws `data-file-damaged`; `file` is for the message. */
export function intactDocument(row: SummedDocumentRow, file: string): IntactDocumentRow {
  intactAlert(row, file);
  if (!hasDocument(row)) throw damaged(row, file, 'it has no document');
  if (row.document_sum === null || row.document_sum === documentChecksum(row)) return row;
  throw damaged(row, file, 'its document has another checksum');
}

function hasDocument(row: SummedDocumentRow): row is IntactDocumentRow {
  return row.members !== null && row.properties !== null;
}

function damaged({ scope_key, alert_key }: SummedAlertRow, file: string, problem: string): DataFileError {
  const alert = `the alert ${cleanText(alert_key)} of the scope ${cleanText(scope_key)}`;
  return new DataFileError('data-file-damaged', `The data file ${file} is damaged in ${alert}: ${problem}.`);
}
