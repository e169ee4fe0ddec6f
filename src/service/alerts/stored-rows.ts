// The rows of stored alerts, which have the same columns in every database, and the texts and pages of them.
import { alertText } from './alert-document.ts';
import type { StoredPage } from './alert-store.ts';

export interface StoredAlertRow {
  readonly position: number;
  /** 0 or 1. */
  readonly is_active: number;
  readonly system_data: string | null;
}

export interface StoredDocumentRow extends StoredAlertRow {
  readonly members: string;
  readonly properties: string;
}

/** The JSON text of the whole alert. */
export function storedText({ is_active, system_data, members, properties }: StoredDocumentRow): string {
  return alertText({ isActive: is_active === 1, systemData: system_data, members, properties });
}

/** A page ends before the alert that would exceed this, so that clients that do not read cost little memory. */
export const pageLimitBytes = 65_536;

/** A page of up to `limit` alerts, and of at least one; another row shows that it is not the last page. Undefined without rows. Reads no row beyond these. */
export function pageOf(rows: Iterable<StoredDocumentRow>, limit: number): StoredPage | undefined {
  const texts: string[] = [];
  let [bytes, lastPosition] = [0, 0];
  for (const row of rows) {
    const text = storedText(row);
    // With the comma before the next one.
    bytes += Buffer.byteLength(text) + 1;
    if (texts.length === limit || (texts.length > 0 && bytes > pageLimitBytes))
      return { text: texts.join(','), lastPosition };
    texts.push(text);
    lastPosition = row.position;
  }
  return texts.length === 0 ? undefined : { text: texts.join(',') };
}
