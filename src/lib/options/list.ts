// Options with several texts: separated by commas, or one for each occurrence of the flag.
import { parseHostPattern } from '../host-pattern.ts';
import { type Facts, option } from './define.ts';
import type { Option } from './option.ts';

/** A list separated by commas. The flag may be repeated. */
export function listOption(
  facts: Facts & { isItem: (text: string) => boolean; expected: string },
): Option<readonly string[]> {
  const parse = (texts: readonly string[]) => {
    const value = itemsOf(texts);
    return value.every(facts.isItem) ? { value } : { expected: facts.expected };
  };
  return { ...option<readonly string[]>(facts, { fallback: [], placeholder: 'LIST', parse }), isRepeatable: true };
}

/** Patterns of hosts, at least one, in their canonical spelling; empty when the option is not given. */
export function hostListOption(facts: Facts): Option<readonly string[]> {
  const expected =
    'host names such as alerts.example.net or *.example.net, separated by commas, without scheme and port; omit it to allow every host';
  const parse = (texts: readonly string[]) => {
    const items = itemsOf(texts);
    const value = items.map(parseHostPattern).filter((pattern) => pattern !== undefined);
    return items.length > 0 && value.length === items.length ? { value } : { expected };
  };
  return { ...option<readonly string[]>(facts, { fallback: [], placeholder: 'LIST', parse }), isRepeatable: true };
}

/** Texts that contain a secret, as given, one for each occurrence of the flag. */
export function repeatedSecretOption(facts: Facts): Option<readonly string[]> {
  const parse = (texts: readonly string[]) => ({ value: texts.filter((text) => text !== '') });
  const show = (texts: readonly string[]) => texts.map(() => '[redacted]');
  const rest = { fallback: [], placeholder: 'TEXT', parse, show };
  return { ...option<readonly string[]>(facts, rest), isRepeatable: true };
}

function itemsOf(texts: readonly string[]): readonly string[] {
  const items = texts.flatMap((text) => text.split(',')).map((text) => text.trim());
  return items.filter((text) => text !== '');
}
