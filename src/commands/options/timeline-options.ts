// The options of `rolealerts timeline`.
import { numberOption } from '../../lib/options/quantity.ts';
import { declaredOptions } from './declared-options.ts';
import { outputOption } from './output-option.ts';

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
  output: outputOption(
    ['text', 'wide', 'json', 'yaml'],
    'wide also lists every change of windows, scopes and reasons.',
  ),
};
