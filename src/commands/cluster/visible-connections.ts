// Which ClusterRoleAlertConnections belong to a report, and the sentence when the API server does not show them. A team
// usually may not read them, because their statuses name the policies of every team.
import type { KubeErrorCode } from '../../operator/kube/kube-error.ts';
import {
  type ClusterRoleAlertConnection,
  clusterConnectionKind,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';

/** All of them in a report of all namespaces; otherwise those that its policies use. */
export function connectionsInReport(
  connections: readonly ClusterRoleAlertConnection[],
  policies: readonly RoleAlertPolicy[],
  namespace: string | undefined,
): readonly ClusterRoleAlertConnection[] {
  if (namespace === undefined) return connections;
  const used = usedNames(policies);
  return connections.filter(({ metadata }) => used.has(metadata.name));
}

/** Undefined when the report would show none anyway, and for other failures. */
export function hiddenConnectionsNote(
  code: KubeErrorCode,
  policies: readonly RoleAlertPolicy[],
  namespace: string | undefined,
): string | undefined {
  if (namespace !== undefined && usedNames(policies).size === 0) return undefined;
  return notes[code];
}

const notes: Partial<Record<KubeErrorCode, string>> = {
  'kube-denied':
    'ClusterRoleAlertConnections are not shown, because the API server does not let you list them. To see them, ask for the ClusterRole rolealerts-platform-admin.',
  'kube-not-found':
    'ClusterRoleAlertConnections are not shown, because the cluster does not have their definition. To use them, apply crds/ of this version.',
};

function usedNames(policies: readonly RoleAlertPolicy[]): ReadonlySet<string> {
  const references = policies.map(({ spec }) => spec.connectionRef);
  return new Set(references.filter(({ kind }) => kind === clusterConnectionKind).map(({ name }) => name));
}
