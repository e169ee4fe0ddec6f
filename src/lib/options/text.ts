// Options whose value is a text: as given, a name, a secret or a label selector.
import { parseLabelSelector } from '../label-selector.ts';
import { SecretText } from '../secret-text.ts';
import { type Facts, option, last } from './define.ts';
import type { Option } from './option.ts';

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
