// The alerts of every scope in SQLite. Every write is on disk before the call returns. Scopes and alert names are
// case-insensitive. Callers check alerts with alert-shape.ts before they store them.
import type { DatabaseSync } from 'node:sqlite';

import { canonicalName } from '../../alerts/resource-id.ts';
import { inTransaction } from '../database.ts';
import { alertText, withIncidents, withModifier, type Modifier, type StoredAlert } from './alert-document.ts';
import { type StoredAlertRow, type StoredDocumentRow, prepareAll } from './alert-statements.ts';

/** A part of a scope's list, in the order in which the alerts were first stored. */
export interface StoredPage {
  /** JSON texts of complete alerts, separated by commas. */
  readonly text: string;
  /** Position of the last alert of this page; absent on the last page. */
  readonly lastPosition?: number;
}

interface PageRequest {
  readonly scope: string;
  /** Position of the last alert already seen; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

interface ActiveChange {
  readonly scope: string;
  readonly alertName: string;
  readonly isActive: boolean;
  readonly modifier: Modifier;
}

type ChangeOutcome = 'changed' | 'unchanged' | 'scope-unknown' | 'alert-unknown';

export interface AlertCounts {
  readonly active: number;
  readonly inactive: number;
}

export interface AlertStore {
  isEmpty(): boolean;
  /** Undefined for an unknown scope; a known scope may have no alerts. */
  readPage(page: PageRequest): StoredPage | undefined;
  /** JSON text of the whole alert; undefined when it does not exist. */
  readAlert(scope: string, alertName: string): string | undefined;
  /** Sets `isActive` and, when it changes, `systemData`. */
  changeActive(change: ActiveChange): ChangeOutcome;
  /** Creates the scope. Idempotent. */
  addScope(scope: string): void;
  /** Adds the alert at the end of the scope's list, or replaces it in its place. */
  putAlert(scope: string, alert: StoredAlert): void;
  /** False when the alert does not exist. */
  removeAlert(scope: string, alertName: string): boolean;
  /** Replaces the incidents as a scan does; false when the alert does not exist. */
  replaceIncidents(scope: string, alertName: string, incidents: readonly unknown[], nowMs: number): boolean;
  /** Linear in the number of alerts. */
  countAlerts(): AlertCounts;
  /** Runs the writes of `work` in one transaction. */
  transaction(work: () => void): void;
}

export function createAlertStore(database: DatabaseSync): AlertStore {
  const statements = prepareAll(database);

  const find = (scope: string, alertName: string) =>
    statements.find.get(canonicalName(scope), canonicalName(alertName)) as StoredAlertRow | undefined;

  const isKnown = (scope: string) => statements.findScope.get(canonicalName(scope)) !== undefined;

  return {
    isEmpty: () => statements.anyScope.get() === undefined,

    readPage({ scope, after, limit }) {
      const rows = statements.page.all(
        canonicalName(scope),
        after,
        limit + 1,
      ) as unknown as readonly StoredDocumentRow[];
      if (rows.length === 0) return isKnown(scope) ? { text: '' } : undefined;
      const text = rows.slice(0, limit).map(rowText).join(',');
      const lastPosition = rows[limit - 1]?.position;
      return rows.length > limit && lastPosition !== undefined ? { text, lastPosition } : { text };
    },

    readAlert(scope, alertName) {
      const row = statements.readDocument.get(canonicalName(scope), canonicalName(alertName)) as
        | StoredDocumentRow
        | undefined;
      return row && rowText(row);
    },

    changeActive({ scope, alertName, isActive, modifier }) {
      const row = find(scope, alertName);
      if (!row) return isKnown(scope) ? 'alert-unknown' : 'scope-unknown';
      if ((row.is_active === 1) === isActive) return 'unchanged';
      statements.setActive.run(isActive ? 1 : 0, withModifier(row.system_data, modifier), row.position);
      return 'changed';
    },

    addScope: (scope) => void statements.addScope.run(canonicalName(scope)),

    putAlert(scope, alert) {
      inOneWrite(database, () => {
        statements.addScope.run(canonicalName(scope));
        const active = alert.isActive ? 1 : 0;
        const row = statements.putAlert.get(canonicalName(scope), canonicalName(alert.name), active, alert.systemData);
        statements.putDocument.run(Number(row?.['position']), alert.members, alert.properties);
      });
    },

    removeAlert: (scope, alertName) =>
      statements.remove.run(canonicalName(scope), canonicalName(alertName)).changes > 0,

    replaceIncidents(scope, alertName, incidents, nowMs) {
      const position = find(scope, alertName)?.position;
      if (position === undefined) return false;
      const properties = String(statements.readProperties.get(position)?.['properties']);
      statements.setProperties.run(withIncidents(properties, incidents, nowMs), position);
      return true;
    },

    countAlerts() {
      const { all = 0, active = 0 } = statements.count.get() ?? {};
      return { active: Number(active), inactive: Number(all) - Number(active) };
    },

    transaction: (work) => inTransaction(database, work),
  };
}

function inOneWrite(database: DatabaseSync, work: () => void): void {
  if (database.isTransaction) work();
  else inTransaction(database, work);
}

function rowText({ is_active, system_data, members, properties }: StoredDocumentRow): string {
  return alertText({ isActive: is_active === 1, systemData: system_data, members, properties });
}
