// Pages as they were read last, so that a list that nobody changed costs no query. Right because one process owns the
// data file and all its writes pass here: a write forgets every page of its scope.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { AlertPage, AlertStore } from './alert-store.ts';

/** Characters of page text that are kept; when a page would go beyond, all are forgotten first. */
const cachedCharacters = 8 * 1024 * 1024;

/**
 * Pages that were asked for once. A page is kept when it is asked for again, so that a walk over very many scopes does not fill the
 * memory with pages that nobody comes back for.
 */
const askedOnceKept = 10_000;

/** What a page costs beside its text: its keys and objects, roughly. */
const pageOverhead = 200;

/** The same store, answering `readPage` from memory where it can. */
export function cachePages(store: AlertStore, limit = cachedCharacters): AlertStore {
  const scopes = new Map<string, Map<string, AlertPage>>();
  const askedOnce = new Set<string>();
  let characters = 0;
  /** Pages read between writes that may be undone are not kept; what those writes touch is forgotten as ever. */
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

  const keep = (scope: string, key: string, page: AlertPage) => {
    if (costOf(page) > limit || !wasAsked(`${scope} ${key}`)) return;
    if (characters + costOf(page) > limit) forgetAll();
    const pages = scopes.get(scope) ?? new Map<string, AlertPage>();
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
    together(work) {
      isTogether = true;
      try {
        store.together(work);
      } finally {
        isTogether = false;
      }
    },
  };
}

function costOf(page: AlertPage): number {
  return page.text.length + pageOverhead;
}
