// One small change of a source file, and how it is switched on and off where it is.
import type { Node } from '../syntax.ts';

/** The kinds that `npm run mutate` knows; each is made at every site that allows it. */
export type EditKind =
  | 'argument swapped'
  | 'await dropped'
  | 'catch emptied'
  | 'comparison turned'
  | 'condition dropped'
  | 'constant moved'
  | 'fallback dropped'
  | 'method swapped'
  | 'return value dropped'
  | 'spread dropped'
  | 'statement dropped';

/** Where an edit takes effect. `text` replaces the code between `start` and `end`; without it, that code is not executed. */
export interface Part {
  /** `member`: from the dot of `.some` to its end; `text` is then the other name. */
  readonly at: 'expression' | 'statement' | 'body' | 'member';
  readonly start: number;
  readonly end: number;
  readonly text?: string;
}

export interface Edit {
  readonly kind: EditKind;
  /** What the edit is about, as the source has it: with `after` it names the edit. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  readonly parts: readonly Part[];
}

/** Gives the edits that begin at one node. `source` is the text of the file. */
export type EditMaker = (node: Node, source: string) => readonly Edit[];

export function textOf(source: string, { start, end }: Node): string {
  return source.slice(start, end);
}

/** `node`, an expression, becomes `after`. */
export function replaced(kind: EditKind, source: string, node: Node, after: string): Edit {
  const { start, end } = node;
  return {
    kind,
    start,
    end,
    before: textOf(source, node),
    after,
    parts: [{ at: 'expression', start, end, text: after }],
  };
}
