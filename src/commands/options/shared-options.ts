// The options that several commands share, named as in kubectl.
import type { Option } from '../../lib/options/option.ts';
import { choiceOption, nameOption, repeatedTextOption, switchOption, textOption } from '../../lib/options/text.ts';
import { defaultClusterNamespace } from '../../policy/resources.ts';

/** Of commands that read a cluster with the viewer's kubeconfig. */
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

/** The first format is the default. `more`: a sentence on what a format shows besides. */
export function outputOption<const T extends string>(choices: readonly [T, ...T[]], more?: string): Option<T> {
  const description = ['The format on standard output.', more].filter((text) => text !== undefined).join(' ');
  return choiceOption({ flag: 'output', letter: 'o', choices, fallback: choices[0], description });
}

/** `before` and `after`: what the description says around the places that it takes. */
export function filenameOption(before: string, after: string) {
  return repeatedTextOption({
    flag: 'filename',
    letter: 'f',
    placeholder: 'PATH',
    description: `${before} file, a directory with all YAML and JSON files below it, or - for standard input${after}`,
  });
}
