// The options of `rolealerts replay`.
import { choiceOption } from './option-types/choice.ts';

export const replayOptions = {
  output: choiceOption({
    flag: 'output',
    letter: 'o',
    choices: ['text', 'json'],
    fallback: 'text',
    description: 'The format of the report on standard output.',
  }),
};
