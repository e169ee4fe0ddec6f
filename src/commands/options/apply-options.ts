// The options of `rolealerts apply`.
import { switchOption } from '../../lib/options/choice.ts';
import { outputOption } from './output-option.ts';
import { previewOptions } from './preview-options.ts';

export const applyOptions = {
  ...previewOptions,
  cluster: switchOption({
    flag: 'cluster',
    fallback: true,
    description:
      'Check in the cluster of the kubeconfig that no operator manages the connections. --no-cluster where there is no cluster.',
  }),
  ignoreOperator: switchOption({
    flag: 'ignore-operator',
    description: 'Activate alerts also through connections that an operator of the cluster manages.',
  }),
  output: outputOption(['text', 'json']),
};
