// What an option of the command line is: a flag, an environment name, a type, a default and a sentence, said once. The
// help, the README's tables and the parsed values all come from here. Which options there are is in the files beside.

/** One option. `parse` gives the value, or a sentence that says what was expected. */
export interface Option<T> {
  /** Without the dashes. */
  readonly flag: string;
  /** What stands behind the flag in the help: `DURATION`; undefined for a switch. */
  readonly placeholder: string | undefined;
  /** In the help's own words; undefined when the option has none. */
  readonly defaultText: string | undefined;
  readonly fallback: T;
  readonly sentence: string;
  /** A switch that is off by default takes no value. */
  readonly isSwitch: boolean;
  /** True when the flag may be given several times; the texts then come together. */
  readonly isRepeatable: boolean;
  readonly parse: (texts: readonly string[]) => { readonly value: T } | { readonly expected: string };
}

export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values that belong to a set of options. */
export type Values<Set extends Options> = {
  readonly [Name in keyof Set]: Set[Name] extends Option<infer T> ? T : never;
};

/** `--metrics-bind-address` is `ROLEALERTS_METRICS_BIND_ADDRESS` in the environment. The flag goes first. */
export function environmentName(flag: string): string {
  return `ROLEALERTS_${flag.toUpperCase().replaceAll('-', '_')}`;
}
