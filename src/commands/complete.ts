// What a shell may complete: names of commands, flags, choices of a flag, and names of policies.
import { cleanText } from '../lib/clean-text.ts';
import { systemClock, within } from '../lib/clock.ts';
import { arrayOf, isString, objectOf } from '../lib/json-shape.ts';
import type { Option } from '../lib/options/option.ts';
import { policyResource } from '../operator/kube/custom-resources.ts';
import { collectionPath } from '../operator/kube/resource.ts';
import type { CommandSpec } from './command.ts';
import type { Host } from './host.ts';
import { type ViewerValues, withViewer } from './viewer.ts';

/** Candidates that are known, and the place to read names of policies from when they are asked for. */
export interface Completion {
  readonly candidates: readonly string[];
  /** From the flags of the unfinished command line. */
  readonly policiesOf?: ViewerValues;
}

/** `specs`: the named command, or those of a group. `words`: behind the command's name, the last one unfinished and perhaps empty. */
export function complete(specs: readonly CommandSpec[], words: readonly string[]): Completion {
  // bash splits at the sign.
  const parts = words.filter((word) => word !== '=').flatMap((word) => splitFlag(word));
  const [first = ''] = parts;
  if (specs.length > 1) return inGroup(specs, first, parts);
  const [spec] = specs;
  if (!spec) return { candidates: [] };
  const below = (spec.subcommands ?? []).find(({ name }) => name === first);
  return below && parts.length > 1 ? inCommand(below, parts.slice(1)) : inCommand(spec, parts);
}

function inGroup(specs: readonly CommandSpec[], first: string, parts: readonly string[]): Completion {
  if (parts.length < 2)
    return beginning(
      first,
      specs.map(({ name }) => name),
    );
  const spec = specs.find(({ name }) => name === first);
  return spec ? inCommand(spec, parts.slice(1)) : { candidates: [] };
}

function inCommand(spec: CommandSpec, parts: readonly string[]): Completion {
  const current = parts.at(-1) ?? '';
  const options = Object.values(spec.options);
  const open = options.find((option) => !option.isSwitch && isFlagOf(option, parts.at(-2)));
  if (open) return beginning(current, choicesOf(open));
  if (current.startsWith('-')) return beginning(current, options.flatMap(flagsOf).concat('--help'));
  const names = parts.length === 1 ? (spec.subcommands ?? []).map(({ name }) => name) : [];
  const takesPolicies = (spec.operands ?? []).some(({ name }) => name.includes('NAME')) && 'namespace' in spec.options;
  const known = beginning(current, names);
  return takesPolicies ? { ...known, policiesOf: placeOf(options, parts) } : known;
}

export function beginning(current: string, candidates: readonly string[]): Completion {
  return { candidates: candidates.filter((each) => each.startsWith(current)) };
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

function placeOf(options: readonly Option<unknown>[], parts: readonly string[]): ViewerValues {
  const valueOf = (name: string) => {
    const option = options.find(({ flag }) => flag === name);
    const at = option ? parts.findIndex((word) => isFlagOf(option, word)) : -1;
    return at < 0 || at + 1 >= parts.length - 1 ? undefined : parts[at + 1];
  };
  const all = options.find(({ flag }) => flag === 'all-namespaces');
  return {
    namespace: valueOf('namespace'),
    allNamespaces: all !== undefined && parts.some((word) => isFlagOf(all, word)),
    context: valueOf('context'),
    kubeconfig: valueOf('kubeconfig'),
  };
}

/** A person waits for the completion. */
const clusterDeadlineMs = 1000;

/** `words`: behind the command's name. Never rejects. */
export async function printCandidates(
  specs: readonly CommandSpec[],
  words: readonly string[],
  host: Host,
): Promise<void> {
  const { candidates, policiesOf } = complete(specs, words);
  const names = policiesOf
    ? await policyNames(policiesOf, { ...host, err: { ...host.err, write: () => undefined } })
    : [];
  const current = words.at(-1) ?? '';
  const all = [...candidates, ...names.filter((name) => name.startsWith(current))];
  host.out.write(all.map((each) => `${each}\n`).join(''));
}

async function policyNames(place: ViewerValues, host: Host): Promise<readonly string[]> {
  try {
    return await withViewer(place, host, async ({ transport, namespace, signal }) => {
      const path = collectionPath(policyResource, namespace);
      const request = transport.request<unknown>({ verb: 'list', path, answer: 'metadata', signal });
      const list = await within(systemClock, clusterDeadlineMs, request);
      if (list === 'late') return [];
      const names = arrayOf(objectOf(list)['items']).map((item) => objectOf(objectOf(item)['metadata'])['name']);
      return [...new Set(names.filter(isString).map((name) => cleanText(name)))].sort();
    });
  } catch {
    return [];
  }
}
