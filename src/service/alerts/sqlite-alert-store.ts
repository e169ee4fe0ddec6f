// The alert store in SQLite. It returns promises only while a transaction of another caller waits within.
import type { DatabaseSync } from 'node:sqlite';

import { canonicalName } from '../../alerts/resource-id.ts';
import type { SqliteConnection } from '../database/sqlite-connection.ts';
import { withIncidents, withModifier } from './alert-document.ts';
import { prepareAll } from './alert-statements.ts';
import type { AlertOperations, AlertStore, AlertTransaction } from './alert-store.ts';
import { pageOf, storedText, type StoredAlertRow, type StoredDocumentRow } from './stored-rows.ts';

export function createSqliteAlertStore(connection: SqliteConnection): AlertStore {
  const { database, takeTurn, transaction, queries } = connection;
  const operations = createOperations(database);
  const tx: AlertTransaction = { ...operations, sql: queries };
  return {
    isEmpty: () => takeTurn(() => operations.isEmpty()),
    readPage: (page) => takeTurn(() => operations.readPage(page)),
    readAlert: (scope, alertName) => takeTurn(() => operations.readAlert(scope, alertName)),
    changeActive: (change) => takeTurn(() => operations.changeActive(change)),
    addScope: (scope) => takeTurn(() => operations.addScope(scope)),
    putAlert: (scope, alert) => transaction(() => operations.putAlert(scope, alert)),
    removeAlert: (scope, alertName) => takeTurn(() => operations.removeAlert(scope, alertName)),
    replaceIncidents: (scope, alertName, incidents, nowMs) =>
      takeTurn(() => operations.replaceIncidents(scope, alertName, incidents, nowMs)),
    countAlerts: () => takeTurn(() => operations.countAlerts()),
    transaction: (work) => transaction(() => work(tx)),
  };
}

/** All of them synchronous. `putAlert` takes several statements: its caller has begun a transaction. */
function createOperations(database: DatabaseSync): AlertOperations {
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
      return pageOf(rows, limit);
    },

    readAlert(scope, alertName) {
      const row = statements.readDocument.get(canonicalName(scope), canonicalName(alertName)) as
        | StoredDocumentRow
        | undefined;
      return row && storedText(row);
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
      statements.addScope.run(canonicalName(scope));
      const active = alert.isActive ? 1 : 0;
      const row = statements.putAlert.get(canonicalName(scope), canonicalName(alert.name), active, alert.systemData);
      statements.putDocument.run(Number(row?.['position']), alert.members, alert.properties);
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
  };
}
