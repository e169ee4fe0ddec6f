// The type of a command-line option: flag, placeholder, default, description and parser. The help, the tables of the
// documentation and the parsed values are all derived from the options, which the other files of this folder define.

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
