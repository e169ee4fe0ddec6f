// Options with few values: switches, and choices among known texts.
import type { Option } from '../option.ts';
import { type Facts, option, last } from './define.ts';

/** Off by default. In the environment `true` and `1` switch it on; `false`, `0` and the empty text leave it off. */
export function switchOption(facts: Facts): Option<boolean> {
  const parse = (texts: readonly string[]) => {
    const text = last(texts).toLowerCase();
    if (['true', '1'].includes(text)) return { value: true };
    return ['false', '0', ''].includes(text) ? { value: false } : { expected: 'true or false' };
  };
  return { ...option(facts, { fallback: false, parse }), placeholder: undefined, isSwitch: true };
}

/** One of `choices`; the text must equal it. */
export function choiceOption<const T extends string>(facts: Facts & { choices: readonly T[]; fallback: T }): Option<T> {
  return option<T>(facts, {
    fallback: facts.fallback,
    defaultText: facts.fallback,
    placeholder: facts.choices.join('|'),
    parse: (texts) => {
      const value = facts.choices.find((choice) => choice === last(texts));
      return value === undefined ? { expected: `one of ${facts.choices.join(', ')}` } : { value };
    },
  });
}
