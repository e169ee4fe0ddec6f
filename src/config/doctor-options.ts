// The options of `rolealerts doctor`.
import { defaultClusterNamespace } from '../policy/resources.ts';
import { nameOption } from './option-types/text.ts';
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
