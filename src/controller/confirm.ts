// Reads policy and connection from the API server before a deactivation. A cache may lag behind while its watch is
// silent, and a deactivation must not depend on an outdated declaration or grant; an activation may.
import type { Action } from '../plan/decisions.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../policy/resources.ts';
import type { Gathered } from './gather.ts';
import { outdated } from './outdated.ts';
import type { ClusterPort } from './ports.ts';

/**
 * Resolves when the API server still has the policy and the connection of the plan: same uid, same generation, not
 * being deleted. Otherwise rejects with `plan-outdated`; the watch delivers the change, and the scope is planned again.
 */
export async function confirmDeactivation(
  cluster: Pick<ClusterPort, 'readPolicy' | 'readConnection'>,
  { policies, connection }: Pick<Gathered, 'policies' | 'connection'>,
  action: Action,
  signal: AbortSignal,
): Promise<void> {
  const policy = policies.find(({ key }) => key === action.policyKey)?.policy;
  if (!policy || !connection) throw outdated('nothing to confirm');
  const [policyNow, connectionNow] = await Promise.all([
    cluster.readPolicy(policy.metadata.namespace, policy.metadata.name, signal),
    cluster.readConnection(connection.metadata.namespace, connection.metadata.name, signal),
  ]);
  if (!isAsPlanned(policyNow, policy)) throw outdated('the API server has another policy');
  if (!isAsPlanned(connectionNow, connection)) throw outdated('the API server has another connection');
}

type Declared = RoleAlertPolicy | RoleAlertConnection;

function isAsPlanned(now: Declared | undefined, planned: Declared): boolean {
  const { uid, generation } = planned.metadata;
  if (now?.metadata.uid !== uid || now.metadata.generation !== generation) return false;
  return now.metadata.deletionTimestamp === undefined;
}
