// What a shell may complete: names of commands, flags, and choices of a flag.
import type { Option } from '../lib/options/option.ts';
import type { CommandSpec } from './command.ts';

/** `specs`: the named command, or those of a group. `words`: behind the command's name, the last one unfinished and perhaps empty. */
export function complete(specs: readonly CommandSpec[], words: readonly string[]): readonly string[] {
  // bash splits at the sign.
  const parts = words.filter((word) => word !== '=').flatMap((word) => splitFlag(word));
  const [first = ''] = parts;
  if (specs.length > 1) return inGroup(specs, first, parts);
  const [spec] = specs;
  if (!spec) return [];
  const below = (spec.subcommands ?? []).find(({ name }) => name === first);
  return below && parts.length > 1 ? inCommand(below, parts.slice(1)) : inCommand(spec, parts);
}

function inGroup(specs: readonly CommandSpec[], first: string, parts: readonly string[]): readonly string[] {
  if (parts.length < 2)
    return beginning(
      first,
      specs.map(({ name }) => name),
    );
  const spec = specs.find(({ name }) => name === first);
  return spec ? inCommand(spec, parts.slice(1)) : [];
}

function inCommand(spec: CommandSpec, parts: readonly string[]): readonly string[] {
  const current = parts.at(-1) ?? '';
  const options = Object.values(spec.options);
  const open = options.find((option) => !option.isSwitch && isFlagOf(option, parts.at(-2)));
  if (open) return beginning(current, choicesOf(open));
  if (current.startsWith('-')) return beginning(current, options.flatMap(flagsOf).concat('--help'));
  const names = parts.length === 1 ? (spec.subcommands ?? []).map(({ name }) => name) : [];
  return beginning(current, names);
}

function beginning(current: string, candidates: readonly string[]): readonly string[] {
  return candidates.filter((each) => each.startsWith(current));
}

/** `--output=js` is two words for this purpose. */
function splitFlag(word: string): readonly string[] {
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/.exec(word) ?? [];
  return flag === undefined ? [word] : [flag, value ?? ''];
}

const isFlagOf = ({ flag, letter }: Option<unknown>, word: string | undefined) =>
  word !== undefined && (word === `--${flag}` || (letter !== undefined && word === `-${letter}`));

const flagsOf = ({ flag, isSwitch }: Option<unknown>) => (isSwitch ? [`--${flag}`, `--no-${flag}`] : [`--${flag}`]);

/** The placeholder of an option with choices lists them: `text|json`. */
function choicesOf({ placeholder }: Option<unknown>): readonly string[] {
  return /^[a-z][a-z0-9-]*(\|[a-z][a-z0-9-]*)+$/.test(placeholder) ? placeholder.split('|') : [];
}
