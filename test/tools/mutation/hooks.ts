// The import hooks of a worker: sources of the folders under test come with every edit behind its switch, and `vitest` is a stand-in that
// runs a case as often as it is asked to. Import it before anything that it should concern.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

import type { Edit, Part } from './edits.ts';
import { type MutatedFile, root } from './project.ts';

const standIn = new URL('vitest-stand-in.ts', import.meta.url).href;
const projectURL = new URL('../../..', import.meta.url).href;

export function installHooks(files: readonly MutatedFile[]): void {
  const mutated = new Map(files.map((file) => [`${root}${file.path}`, file]));
  const texts = new Map<string, string>();
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL = '' } = context;
      if (specifier === 'vitest' && withoutQuery(parentURL) !== standIn) return nextResolve(standIn, context);
      const resolved = nextResolve(specifier, context);
      return { ...resolved, url: inSameGraph(resolved.url, parentURL) };
    },
    load(url, context, nextLoad) {
      if (!isOwn(url) || !withoutQuery(url).endsWith('.ts')) return nextLoad(url, context);
      const path = fileURLToPath(withoutQuery(url));
      const source = texts.get(path) ?? javaScriptOf(path, mutated.get(path));
      texts.set(path, source);
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

function javaScriptOf(path: string, file: MutatedFile | undefined): string {
  return stripTypeScriptTypes(file ? instrument(file.source, file.edits, file.firstId) : readFileSync(path, 'utf8'));
}

function withoutQuery(url: string): string {
  return url.split('?')[0] ?? url;
}

function isOwn(url: string): boolean {
  return (
    url.startsWith(projectURL) &&
    !url.includes('/node_modules/') &&
    !withoutQuery(url).startsWith(`${projectURL}test/tools/mutation/`)
  );
}

/** A file that is imported with `?graph=N` gets all its imports anew, so that what is computed at import is computed again. */
function inSameGraph(url: string, parentURL: string): string {
  const [, query] = parentURL.split('?graph=');
  const isMutationsOwn = !isOwn(url) && !url.startsWith(`${projectURL}test/tools/mutation/seeds.ts`);
  return query === undefined || isMutationsOwn ? url : `${withoutQuery(url)}?graph=${query}`;
}

/** Text that goes in at `at`. Of two at one place the one with the lower `order` comes first. */
interface Insertion {
  readonly at: number;
  readonly order: readonly number[];
  readonly text: string;
  /** Up to where the source is left out. */
  readonly until?: number;
}

/**
 * All edits of a file in one text, each behind a switch, so that a process imports a file once and tries hundreds of edits: `edits[0]` is
 * switched by `firstId`, the next one by the number after it. The text stays TypeScript whose types can be erased.
 */
function instrument(source: string, edits: readonly Edit[], firstId: number): string {
  const insertions = edits.flatMap(({ parts }, index) =>
    parts.flatMap((part) => insertionsOf(part, source.slice(part.start, part.end), firstId + index)),
  );
  let text = 'const $on = globalThis.$mutation; ';
  let from = 0;
  for (const { at, text: inserted, until } of insertions.toSorted(byPlace)) {
    text += source.slice(from, at) + inserted;
    from = until ?? at;
  }
  return text + source.slice(from);
}

/** What encloses opens first and closes last; what ends at a place closes before anything opens there. */
function insertionsOf({ at, start, end, text = '' }: Part, before: string, id: number): Insertion[] {
  if (at === 'member') return [{ at: start, order: [2, 0, id], until: end, text: switchedMember(before, text, id) }];
  const [opening, closing] = bracketsOf(at, text, id);
  return [
    { at: start, order: [1, -end, id], text: opening },
    { at: end, order: [0, -start, -id], text: closing },
  ];
}

/** `.some` as `[… ? 'every' : 'some']`, in a chain with `?.` too. */
function switchedMember(before: string, other: string, id: number): string {
  const [, isOptional, name = ''] = /^(\?)?\.\s*(\w+)$/.exec(before) ?? [];
  return `${isOptional ? '?.' : ''}[$on(${id})?'${other}':'${name}']`;
}

function bracketsOf(at: Part['at'], text: string, id: number): [string, string] {
  if (at === 'statement') return [`{if(!$on(${id}))`, '}'];
  if (at === 'body') return [`if(!$on(${id})){`, '}'];
  return [`($on(${id})?(${text}):(`, '))'];
}

function byPlace(one: Insertion, other: Insertion): number {
  if (one.at !== other.at) return one.at - other.at;
  const index = one.order.findIndex((value, place) => value !== other.order[place]);
  return (one.order[index] ?? 0) - (other.order[index] ?? 0);
}
