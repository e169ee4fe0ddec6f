// The options of `rolealerts validate`.
import { filenameOption } from './filename-option.ts';
import { switchOption } from './option-types/choice.ts';
import { outputOption } from './output-option.ts';

export const validateOptions = {
  filename: filenameOption('A', '. Repeatable. Required.'),
  output: outputOption(['text', 'json', 'sarif', 'junit', 'github']),
  strict: switchOption({
    flag: 'strict',
    description: 'Fail because of warnings, too.',
  }),
};
