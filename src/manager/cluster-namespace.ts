// The one namespace with the Secrets, ConfigMaps and ServiceAccounts of every ClusterRoleAlertConnection.
import { readPodNamespace } from '../kube/kubeconfig.ts';
import { defaultClusterNamespace } from '../policy/resources.ts';
import type { ManagerValues } from './manager-options.ts';

export function clusterNamespaceOf(values: Pick<ManagerValues, 'clusterResourceNamespace'>): string {
  return values.clusterResourceNamespace ?? readPodNamespace() ?? defaultClusterNamespace;
}
