// Options with few values: switches, and choices among known texts.
import { type Facts, option, last } from './define.ts';
import type { Option } from './option.ts';

/** False unless `fallback` is true. Takes `true` and `1`, `false` and `0`; the empty text is false. */
export function switchOption(facts: Facts & { fallback?: boolean }): Option<boolean> {
  const { fallback = false } = facts;
  const parse = (texts: readonly string[]) => {
    const text = last(texts).toLowerCase();
    if (['true', '1'].includes(text)) return { value: true };
    return ['false', '0', ''].includes(text) ? { value: false } : { expected: 'true or false' };
  };
  const defaultText = String(fallback);
  return { ...option(facts, { fallback, defaultText, placeholder: 'true|false', parse }), isSwitch: true };
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
