// The options of `rolealerts trace`.
import { defaultClusterNamespace } from '../policy/resources.ts';
import { explainOptions } from './explain-options.ts';
import { choiceOption } from './option-types/choice.ts';
import { nameOption } from './option-types/text.ts';

export const traceOptions = {
  ...explainOptions,
  clusterResourceNamespace: nameOption({
    flag: 'cluster-resource-namespace',
    fallback: defaultClusterNamespace,
    description:
      'The namespace of the Secrets and ServiceAccounts of every ClusterRoleAlertConnection, as the operator has it.',
  }),
  output: choiceOption({
    flag: 'output',
    letter: 'o',
    choices: ['text', 'json'],
    fallback: 'text',
    description: 'The format.',
  }),
};
