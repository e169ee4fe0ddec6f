// The alert store in SQLite. Updates that arrive together share a commit, and return promises; everything else does so only while a
// transaction of another caller waits within.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { canonicalName } from '../../alerts/resource-id.ts';
import { auditParameters } from '../audit/audit-record.ts';
import { createBatches } from '../database/batches.ts';
import { attemptWithin, named, type SqliteConnection } from '../database/sqlite-connection.ts';
import { withIncidents, withModifier } from './alert-document.ts';
import { prepareAll } from './alert-statements.ts';
import type { ActiveChange, AlertOperations, AlertStore, AlertTransaction, ChangeOutcome } from './alert-store.ts';
import { documentChecksum, intactDocument, type SummedRow } from './intact-document.ts';
import { pageOf, storedText, type StoredAlertRow } from './stored-rows.ts';

/** Bounds the time of a commit, in which the service handles no request. */
const mostUpdates = 1000;

export function createSqliteAlertStore(connection: SqliteConnection): AlertStore {
  const { database, takeTurn, transaction, queries } = connection;
  const operations = createOperations(database);
  const tx: AlertTransaction = { ...operations, sql: queries };
  return {
    isEmpty: () => takeTurn(() => operations.isEmpty()),
    readPage: (page) => takeTurn(() => operations.readPage(page)),
    readAlert: (scope, alertName) => takeTurn(() => operations.readAlert(scope, alertName)),
    changeActive: groupUpdates(connection, (change) => operations.changeActive(change)),
    removeScope: (scope) => takeTurn(() => operations.removeScope(scope)),
    addScope: (scope) => takeTurn(() => operations.addScope(scope)),
    putAlert: (scope, alert) => transaction(() => operations.putAlert(scope, alert)),
    removeAlert: (scope, alertName) => takeTurn(() => operations.removeAlert(scope, alertName)),
    replaceIncidents: (scope, alertName, incidents, nowMs) =>
      takeTurn(() => operations.replaceIncidents(scope, alertName, incidents, nowMs)),
    countAlerts: () => takeTurn(() => operations.countAlerts()),
    transaction: (work) => transaction(() => work(tx)),
  };
}

/**
 * Commits in one transaction what has arrived within one turn of the event loop. A commit blocks the process while the disk syncs; the
 * requests of that time wait in their sockets, and the next turn reads all of them. So they share the next sync.
 */
function groupUpdates(
  { database, transaction }: SqliteConnection,
  update: (change: ActiveChange) => ChangeOutcome,
): AlertStore['changeActive'] {
  const commit = async (changes: readonly ActiveChange[]) =>
    transaction(() => changes.map((change) => attemptWithin(database, () => update(change))));
  return createBatches(commit, mostUpdates, nextTurn);
}

interface SqliteOperations extends AlertOperations {
  changeActive(change: ActiveChange): ChangeOutcome;
}

/** All of them synchronous. `putAlert` and `changeActive` take several statements: their caller has begun a transaction. */
function createOperations(database: DatabaseSync): SqliteOperations {
  const statements = prepareAll(database);
  const file = database.location() ?? 'in memory';

  const find = (scope: string, alertName: string) =>
    statements.find.get(canonicalName(scope), canonicalName(alertName)) as StoredAlertRow | undefined;

  const findDocument = (scope: string, alertName: string) => {
    const row = statements.readDocument.get(canonicalName(scope), canonicalName(alertName)) as SummedRow | undefined;
    return row && intactDocument(row, file);
  };

  const isKnown = (scope: string) => statements.findScope.get(canonicalName(scope)) !== undefined;

  return {
    isEmpty: () => statements.anyScope.get() === undefined,

    readPage({ scope, after, limit }) {
      const rows = statements.page.iterate(canonicalName(scope), after, limit + 1) as Iterable<unknown>;
      const page = pageOf(intactRows(rows as Iterable<SummedRow>, file), limit);
      return page ?? (isKnown(scope) ? { text: '' } : undefined);
    },

    readAlert(scope, alertName) {
      const row = findDocument(scope, alertName);
      return row && storedText(row);
    },

    changeActive({ scope, alertName, isActive, modifier, cause }) {
      const row = find(scope, alertName);
      if (!row) return isKnown(scope) ? 'alert-unknown' : 'scope-unknown';
      if ((row.is_active === 1) === isActive) return 'unchanged';
      statements.setActive.run(isActive ? 1 : 0, withModifier(row.system_data, modifier), row.position);
      if (cause) {
        const change = { atMs: modifier.atMs, scope, alertName, from: !isActive, to: isActive };
        statements.insertAudit.run(named(auditParameters(change, cause)));
      }
      return 'changed';
    },

    removeScope: (scope) => void statements.removeScope.run(canonicalName(scope)),

    addScope: (scope) => void statements.addScope.run(canonicalName(scope)),

    putAlert(scope, alert) {
      statements.addScope.run(canonicalName(scope));
      const { members, properties, systemData } = alert;
      const keys = { scope_key: canonicalName(scope), alert_key: canonicalName(alert.name) };
      const row = statements.putAlert.get(keys.scope_key, keys.alert_key, alert.isActive ? 1 : 0, systemData);
      const checksum = documentChecksum({ ...keys, members, properties });
      statements.putDocument.run(Number(row?.['position']), members, properties, checksum);
    },

    removeAlert: (scope, alertName) =>
      statements.remove.run(canonicalName(scope), canonicalName(alertName)).changes > 0,

    replaceIncidents(scope, alertName, incidents, nowMs) {
      const row = findDocument(scope, alertName);
      if (!row) return false;
      const properties = withIncidents(row.properties, incidents, nowMs);
      statements.setProperties.run(properties, documentChecksum({ ...row, properties }), row.position);
      return true;
    },

    countAlerts() {
      const { all = 0, active = 0 } = statements.count.get() ?? {};
      return { active: Number(active), inactive: Number(all) - Number(active) };
    },
  };
}

function* intactRows(rows: Iterable<SummedRow>, file: string): Iterable<SummedRow> {
  for (const row of rows) yield intactDocument(row, file);
}
