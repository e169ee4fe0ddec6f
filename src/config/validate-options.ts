// The options of `rolealerts validate`.
import { choiceOption, switchOption } from './option-types/choice.ts';
import { repeatedTextOption } from './option-types/text.ts';

export const validateOptions = {
  filename: repeatedTextOption({
    flag: 'filename',
    letter: 'f',
    placeholder: 'PATH',
    description:
      'A file, a directory with all YAML and JSON files below it, or - for standard input. Repeatable. Required.',
  }),
  output: choiceOption({
    flag: 'output',
    letter: 'o',
    choices: ['text', 'json', 'sarif', 'junit', 'github'],
    fallback: 'text',
    description: 'The format of the report on standard output.',
  }),
  strict: switchOption({
    flag: 'strict',
    description: 'Fail because of warnings, too.',
  }),
};
