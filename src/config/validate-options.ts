// The options of `rolealerts validate`.
import { switchOption } from './option-types/choice.ts';
import { repeatedTextOption } from './option-types/text.ts';
import { outputOption } from './output-option.ts';

export const validateOptions = {
  filename: repeatedTextOption({
    flag: 'filename',
    letter: 'f',
    placeholder: 'PATH',
    description:
      'A file, a directory with all YAML and JSON files below it, or - for standard input. Repeatable. Required.',
  }),
  output: outputOption(['text', 'json', 'sarif', 'junit', 'github']),
  strict: switchOption({
    flag: 'strict',
    description: 'Fail because of warnings, too.',
  }),
};
