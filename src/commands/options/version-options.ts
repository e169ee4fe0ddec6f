// The options of `rolealerts version`.
import { switchOption } from '../../lib/options/choice.ts';
import { operatorNamespaceOption } from './doctor-options.ts';
import { outputOption } from './output-option.ts';
import { viewerOptions } from './viewer-options.ts';

export const versionOptions = {
  client: switchOption({ flag: 'client', description: 'Show this program only, and ask no cluster.' }),
  context: viewerOptions.context,
  kubeconfig: viewerOptions.kubeconfig,
  operatorNamespace: operatorNamespaceOption,
  output: outputOption(['text', 'json']),
};
