// A store that records no update, for a service without an audit trail.
import type { AlertStore } from '../alerts/alert-store.ts';

export function withoutAudit(store: AlertStore): AlertStore {
  return { ...store, changeActive: (change) => store.changeActive({ ...change, cause: undefined }) };
}
