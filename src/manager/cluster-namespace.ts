// The one namespace with the Secrets and ConfigMaps of every ClusterRoleAlertConnection.
import { readPodNamespace } from '../kube/kubeconfig.ts';
import type { ManagerValues } from './manager-options.ts';

/** The namespace of the manifests in deploy/. */
const outsidePod = 'rolealerts-system';

export function clusterNamespaceOf(values: Pick<ManagerValues, 'clusterResourceNamespace'>): string {
  return values.clusterResourceNamespace ?? readPodNamespace() ?? outsidePod;
}
