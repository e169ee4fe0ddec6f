// Options with a time, or with a length of time that has no default.
import { formatDuration, parseDuration } from '../duration.ts';
import { formatTimestamp } from '../timestamp.ts';
import { type Facts, option, last } from './define.ts';
import type { Option } from './option.ts';

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
