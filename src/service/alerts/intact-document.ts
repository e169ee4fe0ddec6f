// The checksum of a stored document. CRC-32 finds bytes that the disk changed, at the cost of some microseconds a page. It is no protection
// against a program that changes the file and the checksum.
import { crc32 } from 'node:zlib';

import { cleanText } from '../../lib/clean-text.ts';
import { DataFileError } from '../database/data-file-error.ts';
import type { StoredDocumentRow } from './stored-rows.ts';

/** With the keys, so that the document of another alert does not pass for this one's. */
export interface SummedDocument {
  readonly scope_key: string;
  readonly alert_key: string;
  readonly members: string;
  readonly properties: string;
}

/** A row of SQLite. */
export interface SummedRow extends StoredDocumentRow, SummedDocument {
  readonly checksum: number;
}

/** An unsigned 32-bit number. JSON text contains no NUL, which separates the parts. */
export function documentChecksum({ scope_key, alert_key, members, properties }: SummedDocument): number {
  return crc32([scope_key, alert_key, members, properties].join('\u0000'));
}

/** The row itself. Throws `data-file-damaged` before anything of another one is returned or changed; `file` is for the message. */
export function intactDocument(row: SummedRow, file: string): SummedRow {
  // Without a document the columns are null.
  if (row.checksum === documentChecksum(row)) return row;
  const alert = `the alert ${cleanText(row.alert_key)} of the scope ${cleanText(row.scope_key)}`;
  throw new DataFileError(
    'data-file-damaged',
    `The data file ${file} is damaged in ${alert}: its document is missing or has another checksum.`,
  );
}
