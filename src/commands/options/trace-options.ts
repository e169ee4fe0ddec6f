// The options of `rolealerts trace`.
import { explainOptions } from './explain-options.ts';
import { outputOption } from './output-option.ts';
import { clusterResourceNamespaceOption } from './viewer-options.ts';

export const traceOptions = {
  ...explainOptions,
  clusterResourceNamespace: clusterResourceNamespaceOption,
  output: outputOption(['text', 'json']),
};
