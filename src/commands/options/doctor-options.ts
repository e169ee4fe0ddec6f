// The options of `rolealerts doctor`.
import { nameOption } from '../../lib/options/text.ts';
import { defaultClusterNamespace } from '../../policy/resources.ts';
import { outputOption } from './output-option.ts';
import { viewerOptions } from './viewer-options.ts';

export const operatorNamespaceOption = nameOption({
  flag: 'operator-namespace',
  fallback: defaultClusterNamespace,
  description: 'The namespace of the operator, and of the Secrets of every ClusterRoleAlertConnection.',
});

export const doctorOptions = {
  ...viewerOptions,
  operatorNamespace: operatorNamespaceOption,
  output: outputOption(['text', 'json']),
};
