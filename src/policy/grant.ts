// What the connection of a policy grants to it: its own fields, and for a ClusterRoleAlertConnection the entries of `access`.
import { parseDuration } from '../lib/duration.ts';
import { accessOf, fullAccess, selectEntries } from './access.ts';
import {
  type AnyConnection,
  clusterConnectionKind,
  type NamespaceMetadata,
  type RoleAlertPolicy,
} from './resources.ts';
import type { Grant } from './wants.ts';

/** Without a connection nothing is granted. */
export const noGrant: Grant = { ...fullAccess, deactivation: 'Deny', maxDismissalMs: 0 };

/**
 * `namespace`: that of the policy, undefined when the operator does not know it; only a ClusterRoleAlertConnection asks
 * for it. `select` may remember what it selected. A connection that is being deleted grants no deactivation.
 */
export function grantOf(
  connection: AnyConnection,
  { spec: { scope, mode } }: RoleAlertPolicy,
  namespace: NamespaceMetadata | undefined,
  select = selectEntries,
): Grant {
  const { spec, metadata } = connection;
  const access =
    connection.kind === clusterConnectionKind
      ? accessOf(connection.spec.access ?? [], { scope, mode }, namespace, select)
      : fullAccess;
  const isOpen = metadata.deletionTimestamp === undefined && spec.deactivation === 'Allow';
  return {
    ...access,
    deactivation: isOpen ? access.deactivation : 'Deny',
    maxDismissalMs: parseDuration(spec.limits.maxDismissal) ?? 0,
    ...(spec.correctionWindows && { correctionWindows: spec.correctionWindows }),
  };
}
