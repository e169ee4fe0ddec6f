// What the types of options share. Each type parses the texts of an option, and describes what it expects for the error message.
import type { Option } from './option.ts';

/** What the definition of one option gives; its type adds the rest. */
export interface Facts {
  readonly flag: string;
  readonly description: string;
  readonly placeholder?: string;
  /** A flag of one letter, without the dash. */
  readonly letter?: string;
}

/** An option with a value that is given once; its types overwrite the other members. */
export function option<T>(
  facts: Facts,
  rest: Pick<Option<T>, 'fallback' | 'parse' | 'placeholder'> & Partial<Pick<Option<T>, 'defaultText' | 'show'>>,
): Option<T> {
  return {
    flag: facts.flag,
    ...(facts.letter !== undefined && { letter: facts.letter }),
    description: facts.description,
    placeholder: facts.placeholder ?? rest.placeholder,
    defaultText: rest.defaultText,
    fallback: rest.fallback,
    isSwitch: false,
    isRepeatable: false,
    parse: rest.parse,
    show: rest.show ?? ((value) => value),
  };
}

/** The option without an environment variable. */
export function flagOnly<T>(one: Option<T>): Option<T> {
  return { ...one, isFlagOnly: true };
}

/** The text of an option that counts only once: the last occurrence. */
export const last = (texts: readonly string[]) => texts.at(-1) ?? '';
