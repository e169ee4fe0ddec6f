// The options of `rolealerts ui`.
import { numberOption } from '../../lib/options/quantity.ts';
import { clusterResourceNamespaceOption, viewerOptions } from './viewer-options.ts';

export const uiOptions = {
  ...viewerOptions,
  clusterResourceNamespace: clusterResourceNamespaceOption,
  port: numberOption({
    flag: 'port',
    fallback: 0,
    least: 0,
    most: 65_535,
    defaultText: '0',
    description: 'The port of 127.0.0.1 on which the page is served; 0 picks a free one.',
  }),
};
