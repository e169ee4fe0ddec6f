// The types of options. Each one parses the text of an option, and describes what it expects for the error message.
import { formatDuration, parseDuration } from '../lib/duration.ts';
import { type ListenAddress, parseListenAddress } from '../lib/http-server.ts';
import { SecretText } from '../lib/secret-text.ts';
import { parseLabelSelector } from '../policy/label-selector.ts';
import type { Option } from './option.ts';

interface Facts {
  readonly flag: string;
  readonly description: string;
  readonly placeholder?: string;
}

function option<T>(
  facts: Facts,
  rest: Pick<Option<T>, 'fallback' | 'parse'> & { placeholder?: string; defaultText?: string },
): Option<T> {
  return {
    flag: facts.flag,
    description: facts.description,
    placeholder: facts.placeholder ?? rest.placeholder,
    defaultText: rest.defaultText,
    fallback: rest.fallback,
    isSwitch: false,
    isRepeatable: false,
    parse: rest.parse,
  };
}

const last = (texts: readonly string[]) => texts.at(-1) ?? '';

/** Off by default. In the environment `true` and `1` switch it on; `false`, `0` and the empty text leave it off. */
export function switchOption(facts: Facts): Option<boolean> {
  const parse = (texts: readonly string[]) => {
    const text = last(texts).toLowerCase();
    if (['true', '1'].includes(text)) return { value: true };
    return ['false', '0', ''].includes(text) ? { value: false } : { expected: 'true or false' };
  };
  return { ...option(facts, { fallback: false, parse }), placeholder: undefined, isSwitch: true };
}

export function textOption(facts: Facts): Option<string | undefined> {
  return option<string | undefined>(facts, {
    fallback: undefined,
    placeholder: 'TEXT',
    parse: (texts) => (last(texts) === '' ? { expected: 'a text' } : { value: last(texts) }),
  });
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
    const items = texts.flatMap((text) => text.split(',')).map((text) => text.trim());
    const value = items.filter((text) => text !== '');
    return value.every(facts.isItem) ? { value } : { expected: facts.expected };
  };
  return { ...option<readonly string[]>(facts, { fallback: [], placeholder: 'LIST', parse }), isRepeatable: true };
}

/** The texts as given, one for each occurrence of the flag. */
export function repeatedOption(facts: Facts): Option<readonly string[]> {
  const parse = (texts: readonly string[]) => ({ value: texts.filter((text) => text !== '') });
  return { ...option<readonly string[]>(facts, { fallback: [], placeholder: 'TEXT', parse }), isRepeatable: true };
}

/** Milliseconds. */
export function durationOption(facts: Facts & { fallback: number; least: number; most: number }): Option<number> {
  const expected = `a duration from ${formatDuration(facts.least)} to ${formatDuration(facts.most)}, such as 15m`;
  return option(facts, {
    fallback: facts.fallback,
    defaultText: formatDuration(facts.fallback),
    placeholder: 'DURATION',
    parse: (texts) => {
      const value = parseDuration(last(texts));
      return value !== undefined && value >= facts.least && value <= facts.most ? { value } : { expected };
    },
  });
}

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

/** `http://HOST:PORT` or `https://HOST:PORT`, without a trailing slash. */
export function originOption(facts: Facts): Option<string | undefined> {
  return option<string | undefined>(facts, {
    fallback: undefined,
    placeholder: 'URL',
    parse: (texts) => {
      const url = URL.parse(last(texts));
      const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
      return isOrigin ? { value: url.origin } : { expected: 'an http or https URL without path, query and user name' };
    },
  });
}

/** The value is `undefined` when `0` disables the address. */
export function addressOption(facts: Facts & { fallback: string }): Option<ListenAddress | undefined> {
  const parse = (texts: readonly string[]) => {
    if (last(texts) === '0') return { value: undefined };
    const value = parseListenAddress(last(texts));
    return value ? { value } : { expected: 'an address like 127.0.0.1:8080 or :8080, or 0 for none' };
  };
  return option(facts, {
    fallback: parseListenAddress(facts.fallback),
    defaultText: facts.fallback,
    placeholder: 'HOST:PORT',
    parse,
  });
}

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
