// The alert store in PostgreSQL. Several processes use it at the same time, so it caches no page: a list read from memory could be older
// than an update that another process has acknowledged.
import { canonicalName } from '../../alerts/resource-id.ts';
import { valueOf } from '../../lib/errors.ts';
import { withIncidents } from '../alerts/alert-document.ts';
import type { AlertOperations, AlertStore } from '../alerts/alert-store.ts';
import { pageOf, storedText, type StoredDocumentRow } from '../alerts/stored-rows.ts';
import { createBatches } from '../database/batches.ts';
import { alertTexts } from './alert-texts.ts';
import { changeFlags } from './change-flags.ts';
import type { PostgresPool, PostgresQueries } from './postgres-pool.ts';

/** Maximum number of updates in a batch: some 100 KiB. */
const mostUpdates = 500;

export function createPostgresAlertStore(pool: PostgresPool): AlertStore {
  const operations = createOperations(pool);
  return {
    ...operations,
    changeActive: createBatches((changes) => changeFlags(pool, changes), mostUpdates),
    // Reads the alert before it writes it.
    replaceIncidents: (scope, alertName, incidents, nowMs) =>
      pool.transaction(async (tx) => createOperations(tx).replaceIncidents(scope, alertName, incidents, nowMs)),
    transaction: (work) => pool.transaction(async (tx) => work({ ...createOperations(tx), sql: tx })),
  };
}

function createOperations(queries: PostgresQueries): AlertOperations {
  const readRow = async (scope: string, alertName: string) => {
    const [row] = await queries.query(alertTexts.document, [canonicalName(scope), canonicalName(alertName)]);
    return row as unknown as StoredDocumentRow | undefined;
  };

  return {
    isEmpty: async () => (await queries.query(alertTexts.anyScope)).length === 0,

    async readPage({ scope, after, limit }) {
      const rows = await queries.query(alertTexts.page, [canonicalName(scope), after, limit + 1]);
      const page = pageOf(rows as unknown as readonly StoredDocumentRow[], limit);
      if (page) return page;
      const known = await queries.query(alertTexts.knownScopes, [[canonicalName(scope)]]);
      return known.length > 0 ? { text: '' } : undefined;
    },

    async readAlert(scope, alertName) {
      const row = await readRow(scope, alertName);
      return row && storedText(row);
    },

    async changeActive(change) {
      const [outcome] = await changeFlags(queries, [change]);
      return outcome ? valueOf(outcome) : 'scope-unknown';
    },

    async removeScope(scope) {
      await queries.query(alertTexts.removeScope, [canonicalName(scope)]);
    },

    async addScope(scope) {
      await queries.query(alertTexts.addScope, [canonicalName(scope)]);
    },

    async putAlert(scope, { name, isActive, systemData, members, properties }) {
      const key = [canonicalName(scope), canonicalName(name)];
      await queries.query(alertTexts.putAlert, [...key, isActive ? 1 : 0, systemData, members, properties]);
    },

    removeAlert: async (scope, alertName) =>
      (await queries.query(alertTexts.remove, [canonicalName(scope), canonicalName(alertName)])).length > 0,

    async replaceIncidents(scope, alertName, incidents, nowMs) {
      const row = await readRow(scope, alertName);
      if (!row) return false;
      await queries.query(alertTexts.setProperties, [row.position, withIncidents(row.properties, incidents, nowMs)]);
      return true;
    },

    async countAlerts() {
      const [row] = await queries.query(alertTexts.count);
      const [all, active] = [Number(row?.['all']), Number(row?.['active'])];
      return { active, inactive: all - active };
    },
  };
}
