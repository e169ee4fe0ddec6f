// Which entries of `access` select a namespace, remembered: every reconcile asks for the grants of its policies several times, and
// a connection may have an entry for each of many teams. The objects in the caches never change, so a changed label or entry
// comes as another object, which is selected for anew.
import { type SelectEntries, type SelectedEntry, selectEntries } from '../../policy/access.ts';
import type { AccessEntry } from '../../policy/generated/cluster-role-alert-connection.ts';
import type { NamespaceMetadata } from '../../policy/resources.ts';

type Selections = WeakMap<NamespaceMetadata, readonly SelectedEntry[]>;

/** Remembers for as long as both objects are in use. */
export function rememberSelections(): SelectEntries {
  const byEntries = new WeakMap<readonly AccessEntry[], Selections>();
  return (entries, namespace) => {
    const known: Selections = byEntries.get(entries) ?? new WeakMap();
    byEntries.set(entries, known);
    const selected = known.get(namespace) ?? selectEntries(entries, namespace);
    known.set(namespace, selected);
    return selected;
  };
}
