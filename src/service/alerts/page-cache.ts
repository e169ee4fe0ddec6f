// Caches pages, so that listing an unchanged scope needs no query. The cache is consistent because one process owns the data
// file and all its writes go through this store: a write invalidates every page of its scope.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { AlertStore, StoredPage } from './alert-store.ts';

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
  /** Within a transaction, which may roll back, pages are not cached, but writes still invalidate them. */
  let isTogether = false;

  const forget = (scope: string) => {
    for (const page of scopes.get(canonicalName(scope))?.values() ?? []) characters -= costOf(page);
    scopes.delete(canonicalName(scope));
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
    if (costOf(page) > limit || !wasAsked(`${scope} ${key}`)) return;
    if (characters + costOf(page) > limit) forgetAll();
    const pages = scopes.get(scope) ?? new Map<string, StoredPage>();
    scopes.set(scope, pages.set(key, page));
    characters += costOf(page);
  };

  return {
    ...store,
    readPage(request) {
      if (isTogether) return store.readPage(request);
      const [scope, key] = [canonicalName(request.scope), `${request.after} ${request.limit}`];
      const known = scopes.get(scope)?.get(key);
      if (known) return known;
      const page = store.readPage(request);
      if (page) keep(scope, key, page);
      return page;
    },
    changeActive(change) {
      forget(change.scope);
      return store.changeActive(change);
    },
    addScope(scope) {
      forget(scope);
      store.addScope(scope);
    },
    putAlert(scope, alert) {
      forget(scope);
      store.putAlert(scope, alert);
    },
    removeAlert(scope, alertName) {
      forget(scope);
      return store.removeAlert(scope, alertName);
    },
    replaceIncidents(scope, alertName, incidents, nowMs) {
      forget(scope);
      return store.replaceIncidents(scope, alertName, incidents, nowMs);
    },
    transaction(work) {
      isTogether = true;
      try {
        store.transaction(work);
      } finally {
        isTogether = false;
      }
    },
  };
}

function costOf(page: StoredPage): number {
  return page.text.length + pageOverhead;
}
