// Options whose value is a text: as given, a name, a secret, a label selector, a choice, a switch, or a list of texts.
import { parseHostPattern } from '../host-pattern.ts';
import { parseLabelSelector } from '../label-selector.ts';
import { SecretText } from '../secret-text.ts';
import { type Facts, last, option, type Option } from './option.ts';

/** Any text except the empty one; undefined when the option is not given. */
export function textOption(facts: Facts): Option<string | undefined> {
  return option<string | undefined>(facts, {
    fallback: undefined,
    placeholder: 'TEXT',
    parse: (texts) => (last(texts) === '' ? { expected: 'a text' } : { value: last(texts) }),
  });
}

/** Texts as given, one for each occurrence of the flag. */
export function repeatedTextOption(facts: Facts): Option<readonly string[]> {
  const parse = (texts: readonly string[]) => (texts.includes('') ? { expected: 'a text' } : { value: texts });
  return {
    ...option<readonly string[]>(facts, { fallback: [], placeholder: 'TEXT', parse }),
    isRepeatable: true,
  };
}

/** The name of a Kubernetes object. */
export function nameOption(facts: Facts & { fallback: string }): Option<string> {
  return option(facts, {
    fallback: facts.fallback,
    defaultText: facts.fallback,
    placeholder: 'NAME',
    parse: (texts) =>
      /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(last(texts))
        ? { value: last(texts) }
        : { expected: 'a name of lower-case letters, digits, dots and dashes' },
  });
}

/** As `textOption`, but the value is never shown. */
export function secretOption(facts: Facts): Option<SecretText | undefined> {
  return option<SecretText | undefined>(facts, {
    fallback: undefined,
    placeholder: 'TEXT',
    parse: (texts) => (last(texts) === '' ? { expected: 'a text' } : { value: new SecretText(last(texts)) }),
  });
}

/** A label selector in kubectl's syntax, as text; undefined when the option is not given. */
export function selectorOption(facts: Facts): Option<string | undefined> {
  return option<string | undefined>(facts, {
    fallback: undefined,
    placeholder: 'SELECTOR',
    parse: (texts) =>
      parseLabelSelector(last(texts)) === undefined
        ? { expected: "a label selector such as shard=a or 'shard in (a,b)'" }
        : { value: last(texts) },
  });
}

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
