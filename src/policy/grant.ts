// What the connection of a policy grants to it: its own fields, and for a ClusterRoleAlertConnection the entries of `access`.
import { parseDuration } from '../lib/duration.ts';
import { type Access, accessOf, fullAccess, selectEntries } from './access.ts';
import { deletionOf } from './deletion.ts';
import type { CorrectionWindow } from './generated/role-alert-policy.ts';
import {
  type AnyConnection,
  clusterConnectionKind,
  type NamespaceMetadata,
  type RoleAlertPolicy,
} from './resources.ts';

/** What the owner of the connection grants to one policy. */
export interface Grant extends Access {
  /** The maximum time until the end of a dismissal that needs one, measured at each decision. */
  readonly maxDismissalMs: number;
  /** True when a dismissal that names its incidents needs an end as well. */
  readonly dismissalsNeedEnd?: true;
  /** When deactivations may be sent through the connection; absent for always. */
  readonly correctionWindows?: readonly CorrectionWindow[];
}

/** Without a connection nothing is granted. */
export const noGrant: Grant = { ...fullAccess, deactivation: 'Deny', maxDismissalMs: 0 };

/**
 * `namespace`: that of the policy, undefined when the operator does not know it; a ClusterRoleAlertConnection asks
 * for it, and a RoleAlertConnection for its deletion. `select` may remember what it selected. A connection that is being deleted, or whose
 * namespace is, grants nothing but lists: only the alerts in its ledger are activated.
 */
export function grantOf(
  connection: AnyConnection,
  { spec: { scope, mode } }: RoleAlertPolicy,
  namespace: NamespaceMetadata | undefined,
  select = selectEntries,
): Grant {
  const { spec } = connection;
  const access =
    connection.kind === clusterConnectionKind
      ? accessOf(connection.spec.access ?? [], { scope, mode }, namespace, select)
      : fullAccess;
  const isEnding = deletionOf(connection, namespace) !== 'None';
  return {
    ...access,
    ...(isEnding && { mode: 'Observe', unlisted: 'Deny' }),
    deactivation: !isEnding && spec.deactivation === 'Allow' ? access.deactivation : 'Deny',
    maxDismissalMs: parseDuration(spec.limits.maxDismissal) ?? 0,
    ...(spec.limits.dismissalsNeedEnd && { dismissalsNeedEnd: true as const }),
    ...(spec.correctionWindows && { correctionWindows: spec.correctionWindows }),
  };
}
