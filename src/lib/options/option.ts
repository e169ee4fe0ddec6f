// A command-line option: flag, placeholder, default, description and parser. The help, the tables of the documentation and the parsed
// values are all derived from the options. The other files of this folder define the types of their values: each parses the texts of an
// option, and describes what it expects for the error message.

/** One option. `parse` returns the value, or a description of the expected text. */
export interface Option<T> {
  /** Without the dashes. The flag of a switch does not begin with `no-`. */
  readonly flag: string;
  /** A flag of one letter, as kubectl has it: `f` for `-f`. */
  readonly letter?: string;
  /** The value's name in the help, for example `DURATION`. */
  readonly placeholder: string;
  /** The default as the help shows it; undefined when the option has none. */
  readonly defaultText: string | undefined;
  readonly fallback: T;
  readonly description: string;
  /** True for a flag whose value is true or false, and true when the flag has none. `--no-…` is its opposite. */
  readonly isSwitch: boolean;
  /** True when the flag may be given several times; `parse` then receives all texts. */
  readonly isRepeatable: boolean;
  /**
   * True where no environment variable sets the option: it names what a command reads or changes, which must not come from a variable
   * that was set for another command.
   */
  readonly isFlagOnly?: true;
  readonly parse: (texts: readonly string[]) => { readonly value: T } | { readonly expected: string };
  /** The value for the log: as a user would write it, without secrets. */
  show(value: T): unknown;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values that belong to a set of options. */
export type Values<Set extends Options> = {
  readonly [Name in keyof Set]: Set[Name] extends Option<infer T> ? T : never;
};

/** The environment variable of an option; undefined when it has none. */
export function variableOf({ flag, isFlagOnly }: Pick<Option<unknown>, 'flag' | 'isFlagOnly'>): string | undefined {
  return isFlagOnly ? undefined : environmentName(flag);
}

/** The environment variable of a flag: `--metrics-bind-address` is `ROLEALERTS_METRICS_BIND_ADDRESS`. A flag overrides it. */
export function environmentName(flag: string): string {
  return `ROLEALERTS_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
