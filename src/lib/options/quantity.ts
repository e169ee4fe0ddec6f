// Options with a quantity within bounds: a duration, a time to keep something, or a whole number; and options with a time.
import { formatDuration, parseDuration } from '../duration.ts';
import { formatTimestamp } from '../timestamp.ts';
import { type Facts, last, option, type Option } from './option.ts';

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

/** RFC 3339 with a zone. Unlike `Date.parse`, the form refuses days without a time, which would mean midnight in UTC. */
const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970; undefined when the option is not given. */
export function timeOption(facts: Facts): Option<number | undefined> {
  return option<number | undefined>(facts, {
    fallback: undefined,
    placeholder: 'TIME',
    show: (timeMs) => timeMs && formatTimestamp(timeMs),
    parse: (texts) => {
      const timeMs = form.test(last(texts)) ? Date.parse(last(texts)) : Number.NaN;
      return Number.isNaN(timeMs) ? { expected: 'an RFC 3339 time such as 2026-12-24T00:00:00Z' } : { value: timeMs };
    },
  });
}

/** Milliseconds; undefined when the option is not given. */
export function optionalDurationOption(facts: Facts & { least: number; most: number }): Option<number | undefined> {
  const expected = `a duration from ${formatDuration(facts.least)} to ${formatDuration(facts.most)}, such as 8h`;
  return option<number | undefined>(facts, {
    fallback: undefined,
    placeholder: 'DURATION',
    show: (durationMs) => durationMs && formatDuration(durationMs),
    parse: (texts) => {
      const value = parseDuration(last(texts));
      return value !== undefined && value >= facts.least && value <= facts.most ? { value } : { expected };
    },
  });
}

const dayMs = 86_400_000;

/** Milliseconds, written in whole days or as a duration; 0 is allowed as well. */
export function retentionOption(facts: Facts & { fallbackDays: number; mostDays: number }): Option<number> {
  const expected = `0, or a time from 1m to ${facts.mostDays}d, such as 90d or 12h`;
  return option(facts, {
    fallback: facts.fallbackDays * dayMs,
    defaultText: `${facts.fallbackDays}d`,
    show: (value) => (value % dayMs === 0 ? `${value / dayMs}d` : formatDuration(value)),
    placeholder: 'DURATION',
    parse: (texts) => {
      const [, days] = /^([0-9]{1,5})d$/.exec(last(texts)) ?? [];
      const value = days === undefined ? parseDuration(last(texts).replace(/^0$/, '0s')) : Number(days) * dayMs;
      const isRight = value === 0 || (value !== undefined && value >= 60_000 && value <= facts.mostDays * dayMs);
      return isRight ? { value } : { expected };
    },
  });
}
