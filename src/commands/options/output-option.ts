// The option `--output` of the commands that print a report.
import type { Option } from '../../lib/options/option.ts';
import { choiceOption } from '../../lib/options/text.ts';

/** The first format is the default. `more`: a sentence on what a format shows besides. */
export function outputOption<const T extends string>(choices: readonly [T, ...T[]], more?: string): Option<T> {
  const description = ['The format on standard output.', more].filter((text) => text !== undefined).join(' ');
  return choiceOption({ flag: 'output', letter: 'o', choices, fallback: choices[0], description });
}
