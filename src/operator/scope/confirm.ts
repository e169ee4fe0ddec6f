// Reads policy and connection from the API server before a deactivation, and for a ClusterRoleAlertConnection the labels of the
// namespace. A cache may lag behind while its watch is silent, and a deactivation must not depend on an outdated declaration or grant; an activation may.
import { sameName } from '../../alerts/resource-id.ts';
import { hasFinalizer } from '../../policy/deletion.ts';
import { grantOf } from '../../policy/grant.ts';
import { type AnyConnection, clusterConnectionKind } from '../../policy/resources.ts';
import { outdated } from '../controller-error.ts';
import type { Action } from '../decide/decisions.ts';
import type { ClusterPort } from '../ports.ts';
import type { Gathered } from './gather.ts';
import { isAsGathered } from './outdated.ts';

/**
 * Resolves when the API server still has the policy and the connection of the plan: same uid, same generation, not
 * being deleted; and when the connection still has the dismissal in its ledger, which another writer may have wiped, and the finalizer.
 * Otherwise rejects with `plan-outdated`; the watch delivers the change, and the scope is planned again.
 */
export async function confirmDeactivation(
  cluster: Pick<ClusterPort, 'readPolicy' | 'readConnection' | 'readNamespace'>,
  { ref, policies, connection }: Pick<Gathered, 'ref' | 'policies' | 'connection'>,
  action: Action,
  signal: AbortSignal,
): Promise<void> {
  const policy = policies.find(({ key }) => key === action.policyKey)?.policy;
  if (!policy || !connection) throw outdated('nothing to confirm');
  const { namespace, name } = policy.metadata;
  const isClusterConnection = connection.kind === clusterConnectionKind;
  const [policyNow, connectionNow, namespaceNow] = await Promise.all([
    cluster.readPolicy(namespace, name, signal),
    cluster.readConnection(connection.metadata.namespace, connection.metadata.name, signal),
    isClusterConnection ? cluster.readNamespace(namespace, signal) : undefined,
  ]);
  if (!isAsGathered(policyNow, policy)) throw outdated('the API server has another policy');
  if (!isAsGathered(connectionNow, connection)) throw outdated('the API server has another connection');
  if (!isRecorded(connectionNow, ref.scope, action.alert)) throw outdated('the API server does not have the dismissal');
  const grant = grantOf(connectionNow, policyNow, namespaceNow);
  if (grant.deactivation !== 'Allow') throw outdated('the connection no longer grants the deactivation');
}

/** Without the finalizer the ledger could go with the connection before the alert is active again. */
function isRecorded(connection: AnyConnection, scope: string, alert: string): boolean {
  const entries = connection.status?.dismissals ?? [];
  return hasFinalizer(connection) && entries.some((entry) => entry.scope === scope && sameName(entry.alert, alert));
}
