// The options of a command that differ from their defaults, for the first line of its log.
import type { Options, Values } from '../../lib/options/option.ts';
import { isSameJson } from '../../lib/same-json.ts';

/** By flag, as a user would write the values; a secret is `[redacted]`. Empty when every option has its default. */
export function changedOptions<Set extends Options>(options: Set, values: Values<Set>): Record<string, unknown> {
  const changed = Object.entries<Options[string]>(options).flatMap(([name, option]): [string, unknown][] => {
    const value: unknown = values[name as keyof Set];
    return isSameJson(value, option.fallback) ? [] : [[option.flag, option.show(value)]];
  });
  return Object.fromEntries(changed);
}
