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

/** A page of up to `limit` alerts, and of at least one; another row shows that it is not the last page. */
export function pageOf(rows: readonly StoredDocumentRow[], limit: number): StoredPage {
  const texts: string[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    const text = storedText(row);
    // With the comma before the next one.
    bytes += Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes > pageLimitBytes) break;
    texts.push(text);
  }
  const lastPosition = rows[texts.length - 1]?.position;
  const text = texts.join(',');
  return rows.length > texts.length && lastPosition !== undefined ? { text, lastPosition } : { text };
}
