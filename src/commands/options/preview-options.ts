// The options of commands that plan without the operator: files, tokens, and which addresses may receive them.
import { repeatedTextOption, textOption } from '../../lib/options/text.ts';
import { controllerOptions } from '../../operator/manager/controller-options.ts';
import { clusterResourceNamespaceOption, filenameOption, viewerOptions } from './shared-options.ts';

/** The environment variable with a bearer token. It has no flag, because every user of a machine can read those. */
export const tokenVariable = 'ROLEALERTS_TOKEN';

/** How a command reaches the services of the connections. */
export const accessOptions = {
  tokenFile: repeatedTextOption({
    flag: 'token-file',
    placeholder: '[CONNECTION=]FILE',
    description:
      'A file with a bearer token: for all connections of one service, or after NAMESPACE/NAME= for one, /NAME= for a ClusterRoleAlertConnection; or a file that login wrote. Repeatable.',
  }),
  clusterResourceNamespace: clusterResourceNamespaceOption,
  allowHttp: controllerOptions.allowHttp,
  allowPrivateEndpoints: controllerOptions.allowPrivateEndpoints,
  allowedHosts: controllerOptions.allowedHosts,
};

/** What a command plans, and how. */
export const previewOptions = {
  filename: filenameOption('A', ': policies, connections, Secrets, ConfigMaps and Namespaces. Repeatable.'),
  namespace: textOption({
    flag: 'namespace',
    placeholder: 'NAMESPACE',
    letter: 'n',
    description:
      'The namespace of objects that name none. Default: that of the context with a cluster, otherwise default.',
  }),
  ...accessOptions,
  interval: controllerOptions.interval,
  context: viewerOptions.context,
  kubeconfig: viewerOptions.kubeconfig,
};
