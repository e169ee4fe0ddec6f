// The options of `rolealerts timeline`.
import { declaredOptions } from './declared-options.ts';
import { choiceOption } from './option-types/choice.ts';
import { numberOption } from './option-types/quantity.ts';

export const timelineOptions = {
  ...declaredOptions,
  days: numberOption({
    flag: 'days',
    fallback: 30,
    least: 1,
    most: 366,
    defaultText: '30',
    description: 'How many days ahead are shown.',
  }),
  output: choiceOption({
    flag: 'output',
    letter: 'o',
    choices: ['text', 'wide', 'json', 'yaml'],
    fallback: 'text',
    description: 'The format. wide also lists every change of windows, scopes and reasons.',
  }),
};
