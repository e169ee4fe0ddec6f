// Options with a quantity within bounds: a duration or a whole number.
import { formatDuration, parseDuration } from '../duration.ts';
import { type Facts, option, last } from './define.ts';
import type { Option } from './option.ts';

/** Milliseconds. */
export function durationOption(facts: Facts & { fallback: number; least: number; most: number }): Option<number> {
  const expected = `a duration from ${formatDuration(facts.least)} to ${formatDuration(facts.most)}, such as 15m`;
  return option(facts, {
    fallback: facts.fallback,
    defaultText: formatDuration(facts.fallback),
    show: formatDuration,
    placeholder: 'DURATION',
    parse: (texts) => {
      const value = parseDuration(last(texts));
      return value !== undefined && value >= facts.least && value <= facts.most ? { value } : { expected };
    },
  });
}

/** A whole number from `least` to `most`, or `fallback`. */
export function numberOption<T>(
  facts: Facts & { fallback: T; least: number; most: number; defaultText: string },
): Option<number | T> {
  const expected = `a whole number from ${facts.least} to ${facts.most}`;
  return option<number | T>(facts, {
    fallback: facts.fallback,
    defaultText: facts.defaultText,
    placeholder: 'N',
    parse: (texts) => {
      const value = /^[0-9]{1,9}$/.test(last(texts)) ? Number(last(texts)) : -1;
      return value >= facts.least && value <= facts.most ? { value } : { expected };
    },
  });
}
