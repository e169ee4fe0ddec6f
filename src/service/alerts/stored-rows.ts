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

/** A page of `limit` alerts; another row shows that it is not the last page. */
export function pageOf(rows: readonly StoredDocumentRow[], limit: number): StoredPage {
  const text = rows.slice(0, limit).map(storedText).join(',');
  const lastPosition = rows[limit - 1]?.position;
  return rows.length > limit && lastPosition !== undefined ? { text, lastPosition } : { text };
}
