// The options of `rolealerts status`.
import { switchOption } from '../../lib/options/choice.ts';
import { outputOption } from './output-option.ts';
import { viewerOptions } from './viewer-options.ts';

export const statusOptions = {
  ...viewerOptions,
  output: outputOption(['text', 'wide', 'json', 'yaml'], 'wide also lists every policy.'),
  watch: switchOption({
    flag: 'watch',
    letter: 'w',
    description: 'Print again whenever a policy or a connection changes, until interrupted.',
  }),
};
