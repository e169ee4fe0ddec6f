// An option with the time to keep something: days, or a duration, or 0.
import { formatDuration, parseDuration } from '../duration.ts';
import { type Facts, option, last } from './define.ts';
import type { Option } from './option.ts';

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
