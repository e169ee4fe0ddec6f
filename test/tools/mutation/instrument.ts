// All edits of a file in one text, each behind a switch, so that a process imports a file once and tries hundreds of edits. The text
// stays TypeScript whose types can be erased.
import type { Edit, Part } from './edits.ts';

/** Text that goes in at `at`. Of two at one place the one with the lower `order` comes first. */
interface Insertion {
  readonly at: number;
  readonly order: readonly number[];
  readonly text: string;
  /** Up to where the source is left out. */
  readonly until?: number;
}

/** `edits[0]` is switched by `firstId`, the next one by the number after it. */
export function instrument(source: string, edits: readonly Edit[], firstId: number): string {
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
