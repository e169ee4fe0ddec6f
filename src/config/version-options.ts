// The options of `rolealerts version`.
import { operatorNamespaceOption } from './doctor-options.ts';
import { switchOption } from './option-types/choice.ts';
import { outputOption } from './output-option.ts';
import { viewerOptions } from './viewer-options.ts';

export const versionOptions = {
  client: switchOption({ flag: 'client', description: 'Show this program only, and ask no cluster.' }),
  context: viewerOptions.context,
  kubeconfig: viewerOptions.kubeconfig,
  operatorNamespace: operatorNamespaceOption,
  output: outputOption(['text', 'json']),
};
