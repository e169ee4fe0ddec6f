// Caches pages, so that listing an unchanged scope needs no query. The cache is consistent because one process owns the data
// file and all its writes go through this store: a write invalidates every page of its scope once it is stored and before its
// caller continues, and a page that was read while any write ended is not cached.
import { canonicalName } from '../../alerts/resource-id.ts';
import { endWith, thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { AlertOperations, AlertStore, AlertTransaction, PageRequest, StoredPage } from './alert-store.ts';

/** Maximum number of cached characters; a page that would exceed it clears the cache first. */
const cachedCharacters = 8 * 1024 * 1024;

/**
 * Number of remembered first requests. The second request for a page caches it, so that a client that lists very many scopes once
 * does not fill the memory.
 */
const askedOnceKept = 10_000;

/** Approximate cost of a page beside its text, in characters. */
const pageOverhead = 200;

/** Wraps the store, and serves `readPage` from memory if possible. */
export function cachePages(store: AlertStore, limit = cachedCharacters): AlertStore {
  const scopes = new Map<string, Map<string, StoredPage>>();
  const askedOnce = new Set<string>();
  let characters = 0;
  let invalidations = 0;

  const forget = (scope: string) => {
    invalidations += 1;
    for (const page of scopes.get(canonicalName(scope))?.values() ?? []) characters -= costOf(page);
    scopes.delete(canonicalName(scope));
  };

  const forgetEach = (written: ReadonlySet<string>) => {
    for (const scope of written) forget(scope);
  };

  const forgetAll = () => {
    scopes.clear();
    characters = 0;
  };

  const wasAsked = (page: string) => {
    if (askedOnce.delete(page)) return true;
    if (askedOnce.size >= askedOnceKept) askedOnce.clear();
    askedOnce.add(page);
    return false;
  };

  const keep = (scope: string, key: string, page: StoredPage) => {
    if (costOf(page) > limit || scopes.get(scope)?.has(key) || !wasAsked(`${scope} ${key}`)) return;
    if (characters + costOf(page) > limit) forgetAll();
    const pages = scopes.get(scope) ?? new Map<string, StoredPage>();
    scopes.set(scope, pages.set(key, page));
    characters += costOf(page);
  };

  const read = (request: PageRequest, scope: string, key: string) => {
    const before = invalidations;
    return thenOrNow(store.readPage(request), (page) => {
      if (page && before === invalidations) keep(scope, key, page);
      return page;
    });
  };

  return {
    ...withWrites(store, (scope, write) => endWith(write, () => forget(scope))),
    readPage(request) {
      const [scope, key] = [canonicalName(request.scope), `${request.after} ${request.limit}`];
      return scopes.get(scope)?.get(key) ?? read(request, scope, key);
    },
    transaction(work) {
      const written = new Set<string>();
      const noted = (tx: AlertTransaction): AlertTransaction => ({
        ...withWrites(tx, (scope, write) => {
          written.add(scope);
          return write();
        }),
        sql: tx.sql,
      });
      return endWith(
        () => store.transaction((tx) => work(noted(tx))),
        () => forgetEach(written),
      );
    },
  };
}

/** The operations of `store`, with `around` each write to a scope. */
function withWrites(
  store: AlertOperations,
  around: <T>(scope: string, write: () => MaybePromise<T>) => MaybePromise<T>,
): AlertOperations {
  return {
    ...store,
    changeActive: (change) => around(change.scope, () => store.changeActive(change)),
    removeScope: (scope) => around(scope, () => store.removeScope(scope)),
    addScope: (scope) => around(scope, () => store.addScope(scope)),
    putAlert: (scope, alert) => around(scope, () => store.putAlert(scope, alert)),
    removeAlert: (scope, alertName) => around(scope, () => store.removeAlert(scope, alertName)),
    replaceIncidents: (scope, alertName, incidents, nowMs) =>
      around(scope, () => store.replaceIncidents(scope, alertName, incidents, nowMs)),
  };
}

function costOf(page: StoredPage): number {
  return page.text.length + pageOverhead;
}
