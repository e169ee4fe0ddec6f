// The options of `rolealerts validate`.
import { switchOption } from '../../lib/options/choice.ts';
import { filenameOption } from './filename-option.ts';
import { outputOption } from './output-option.ts';

export const validateOptions = {
  filename: filenameOption('A', '. Repeatable. Required.'),
  output: outputOption(['text', 'json', 'sarif', 'junit', 'github']),
  strict: switchOption({
    flag: 'strict',
    description: 'Fail because of warnings, too.',
  }),
};
