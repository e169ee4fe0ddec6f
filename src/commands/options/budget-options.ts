// The options of `rolealerts budget`.
import { flagOnly } from '../../lib/options/define.ts';
import { durationOption, numberOption } from '../../lib/options/quantity.ts';
import { optionalDurationOption } from '../../lib/options/time.ts';
import { declaredOptions } from './declared-options.ts';
import { outputOption } from './output-option.ts';

const dayMs = 86_400_000;

export const budgetOptions = {
  ...declaredOptions,
  interval: flagOnly(
    optionalDurationOption({
      flag: 'interval',
      least: 5000,
      most: dayMs,
      description: 'Ask what an interval of all scopes would need.',
    }),
  ),
  scopes: flagOnly(
    numberOption<undefined>({
      flag: 'scopes',
      fallback: undefined,
      least: 1,
      most: 1_000_000,
      defaultText: 'the present number',
      description: 'Ask what this number of scopes on each connection would need.',
    }),
  ),
  pages: numberOption({
    flag: 'pages',
    fallback: 1,
    least: 1,
    most: 1000,
    defaultText: '1',
    description: 'Requests that one list of a scope takes.',
  }),
  defaultInterval: durationOption({
    flag: 'default-interval',
    fallback: 900_000,
    least: 5000,
    most: dayMs,
    description: "The operator's --interval, for policies without an interval.",
  }),
  output: outputOption(['text', 'json', 'yaml']),
};
