// The policies that this process serves: in a shard those of its connections, otherwise all.
import { connectionKeyOf } from '../../policy/connection-key.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { ClusterPort } from '../ports.ts';
import { conditionOf } from '../reasons/conditions.ts';

/**
 * Of policies without a connection, every shard writes the same status, which says so; the status of a policy of another shard does not.
 */
export function* servedPolicies({ policies, connections, readUidAnywhere }: ClusterPort): Iterable<RoleAlertPolicy> {
  const isSharded = readUidAnywhere !== undefined;
  for (const policy of policies.list()) {
    if (!isSharded || connections.get(connectionKeyOf(policy)) || isWithoutConnection(policy)) yield policy;
  }
}

function isWithoutConnection({ status }: RoleAlertPolicy): boolean {
  return conditionOf(status, 'ConnectionReady')?.reason === 'ConnectionNotFound';
}
