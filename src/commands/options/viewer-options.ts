// The options of commands that read a cluster with the viewer's kubeconfig, named as in kubectl.
import { nameOption, switchOption, textOption } from '../../lib/options/text.ts';
import { defaultClusterNamespace } from '../../policy/resources.ts';

export const viewerOptions = {
  namespace: textOption({
    flag: 'namespace',
    letter: 'n',
    placeholder: 'NAMESPACE',
    description: 'The namespace to read. Default: that of the context, or default.',
  }),
  allNamespaces: switchOption({
    flag: 'all-namespaces',
    letter: 'A',
    description: 'Read all namespaces.',
  }),
  context: textOption({
    flag: 'context',
    placeholder: 'NAME',
    description: 'The context of the kubeconfig. Default: its current context.',
  }),
  kubeconfig: textOption({
    flag: 'kubeconfig',
    placeholder: 'FILE',
    description: 'The kubeconfig of the cluster. Default: $KUBECONFIG, or ~/.kube/config.',
  }),
};

export const clusterResourceNamespaceOption = nameOption({
  flag: 'cluster-resource-namespace',
  fallback: defaultClusterNamespace,
  description:
    'The namespace of the Secrets, ConfigMaps and ServiceAccounts of every ClusterRoleAlertConnection, as the operator has it.',
});

export const operatorNamespaceOption = nameOption({
  flag: 'operator-namespace',
  fallback: defaultClusterNamespace,
  description: 'The namespace of the operator, and of the Secrets of every ClusterRoleAlertConnection.',
});
