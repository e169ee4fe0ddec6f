// The definition of a command, and the parsing of its options: a flag overrides the environment, which overrides the default.
import { Command, Option as FlagOption } from 'commander';

import { UsageError } from '../lib/command-errors.ts';
import { type Option, type Options, type Values, variableOf } from '../lib/options/option.ts';
import { type Exits, renderExits } from './exit-codes.ts';
import type { Host } from './host.ts';

/** A command with its options. `run` resolves with the exit code; the program prints the message of a `CodedError`. */
export interface CommandSpec<Set extends Options = Options> {
  readonly name: string;
  readonly description: string;
  /** Shown below the options in the help. */
  readonly more?: string;
  /** Command lines, at the end of the help. A test runs each as it is written. */
  readonly examples: readonly [string, ...string[]];
  /** What its exit codes mean, where that is more specific than success and failure. The help lists them. */
  readonly exits?: Exits;
  readonly options: Set;
  /** The words after the command's name. Absent: none. */
  readonly operands?: readonly Operand[];
  /** Commands below this one. Their options follow their own names: `serve backup FILE --data FILE`. */
  readonly subcommands?: readonly CommandSpec[];
  readonly run: (values: Values<Set>, host: Host, operands: readonly string[]) => Promise<number>;
}

export interface Operand {
  /** As the help shows it, for example `FILE`. */
  readonly name: string;
  readonly description: string;
  /** How many words it takes. Default: exactly one. */
  readonly count?: 'Any';
}

/** Checks `run` against the types of the options, then erases these types, so that one list can hold all specs. */
export function defineCommand<Set extends Options>(spec: CommandSpec<Set>): CommandSpec {
  return spec as unknown as CommandSpec;
}

/** What a command is built for. */
export interface ProgramContext {
  readonly host: Host;
  /** Called with the exit code. */
  readonly done: (exitCode: number) => void;
}

/** The commander command of a spec. */
export function buildCommand(spec: CommandSpec, program: ProgramContext): Command {
  const { host, done } = program;
  const command = new Command(spec.name).description(spec.description).helpOption('-h, --help', 'Show this help.');
  const options = Object.values(spec.options);
  for (const flag of options.flatMap(flagsOf)) command.addOption(flag);
  const general = options.length > 0 ? generalNote : undefined;
  const examples = ['Examples:', ...spec.examples].join('\n  ');
  for (const note of [general, renderExits(spec.exits ?? {}), spec.more, examples])
    if (note !== undefined) command.addHelpText('after', `\n${note}`);
  for (const { name, description, count } of spec.operands ?? []) {
    command.argument(count === 'Any' ? `[${name}...]` : `<${name}>`, description);
  }
  // Otherwise commander gives an option that both have to this command, also behind the name of the subcommand.
  command.enablePositionalOptions();
  for (const below of spec.subcommands ?? []) command.addCommand(buildCommand(below, program));
  return command.action(async () => {
    const values = valuesOf(spec.options, command.opts(), host);
    done(await spec.run(values, host, command.args));
  });
}

const generalNote =
  'A switch without a value is true, and --no-SWITCH is false. Flags override the environment, as in ROLEALERTS_NAMESPACE.';

function flagsOf(option: Option<unknown>): readonly FlagOption[] {
  const flag = flagOf(option);
  return option.isSwitch ? [flag, new FlagOption(`--no-${option.flag}`).hideHelp()] : [flag];
}

/** More choices than these are part of the description. */
const choicesInTerm = 3;

function flagOf(option: Option<unknown>): FlagOption {
  const choices = option.placeholder.split('|');
  const isLong = choices.length > choicesInTerm;
  const placeholder = isLong ? option.flag.toUpperCase() : option.placeholder;
  const value = option.isSwitch ? ` [${placeholder}]` : ` <${placeholder}>`;
  const isOff = option.isSwitch && option.fallback === false;
  const description = [
    ...(isLong ? [`${choices.join(', ')}:`] : []),
    option.description,
    ...(option.defaultText === undefined || isOff ? [] : [`(default ${option.defaultText})`]),
  ].join(' ');
  const letter = option.letter === undefined ? '' : `-${option.letter}, `;
  const flag = new FlagOption(`${letter}--${option.flag}${value}`, description);
  return option.isRepeatable ? flag.argParser<readonly string[]>((text, before) => collect(text, before)) : flag;
}

/** `before` is undefined at the first occurrence, whatever commander's types say. */
function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

function valuesOf(options: Options, flags: Readonly<Record<string, unknown>>, host: Host): Values<Options> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, valueOf(option, flags[camelCase(option.flag)], host)]),
  );
}

function valueOf(option: Option<unknown>, given: unknown, host: Host): unknown {
  const variable = variableOf(option);
  const inherited = variable === undefined ? undefined : host.env[variable];
  if (given === undefined && (inherited === undefined || inherited === '')) return option.fallback;
  const texts = given === undefined ? [inherited ?? ''] : textsOf(given);
  const parsed = option.parse(texts);
  if ('value' in parsed) return parsed.value;
  const origin = given === undefined ? variable : `--${option.flag}`;
  throw new UsageError(`${origin} needs ${parsed.expected}.`);
}

function textsOf(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [String(given)];
}

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
