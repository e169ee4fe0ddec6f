// The options of `rolealerts status`.
import { choiceOption, switchOption } from './option-types/choice.ts';
import { viewerOptions } from './viewer-options.ts';

export const statusOptions = {
  ...viewerOptions,
  output: choiceOption({
    flag: 'output',
    letter: 'o',
    choices: ['text', 'wide', 'json', 'yaml'],
    fallback: 'text',
    description: 'The format. wide also lists every policy.',
  }),
  watch: switchOption({
    flag: 'watch',
    letter: 'w',
    description: 'Print again whenever a policy or a connection changes, until interrupted.',
  }),
};
