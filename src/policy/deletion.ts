// The deletion of connections. A finalizer delays it exactly while the stored ledger has entries, so that the operator can activate
// their alerts first.
import { clusterConnectionKind, type AnyConnection, type NamespaceMetadata } from './resources.ts';

/** Delays the deletion of a connection until the alerts in its ledger are active again. */
export const dismissalsFinalizer = 'rolealerts.dev/dismissals';

export function hasFinalizer({ metadata }: AnyConnection): boolean {
  return metadata.finalizers?.includes(dismissalsFinalizer) === true;
}

/** The finalizers of the connection with this operator's, or without it. */
export function finalizersOf({ metadata }: AnyConnection, isHeld: boolean): readonly string[] {
  const others = (metadata.finalizers ?? []).filter((name) => name !== dismissalsFinalizer);
  return isHeld ? [...others, dismissalsFinalizer] : others;
}

/** What is being deleted. The namespace of a RoleAlertConnection deletes it, and its Secret perhaps before. */
export type Deletion = 'None' | 'Connection' | 'Namespace';

/** `namespace`: that of the connection or of one of its policies; undefined when the operator does not know it. */
export function deletionOf({ kind, metadata }: AnyConnection, namespace: NamespaceMetadata | undefined): Deletion {
  if (kind !== clusterConnectionKind && namespace?.metadata.deletionTimestamp !== undefined) return 'Namespace';
  return metadata.deletionTimestamp === undefined ? 'None' : 'Connection';
}
