// What a document would lose when it is read: a number its digits, a member its value to a later one of the same name, a text half
// of a character, an alias within its own anchor its end, a merge key of YAML 1.1 what it would merge. A file with a loss is refused, because the service returns what a file says.
import type { LineCounter } from 'yaml';

const lossTexts = {
  number: 'cannot be kept exactly as written; quote it to keep it as text',
  member: 'repeats an earlier one',
  text: 'contains half of a surrogate pair',
  alias: 'is within what it repeats, which would have no end',
  'merge key': 'merges nothing in YAML 1.2; repeat the members, or quote it to keep it as a name',
} as const;

/** A loss, with the offset of the token in UTF-16 units. */
export interface Loss {
  readonly what: keyof typeof lossTexts;
  readonly offset: number;
}

/** A loss as a problem with its line and column. It repeats nothing of the document, which may contain secrets. */
export function describeLoss({ what, offset }: Loss, lines: LineCounter): string {
  return `the ${what} at ${placeOf(offset, lines)} ${lossTexts[what]}`;
}

/** Line and column, counted from 1. */
export function placeOf(offset: number, lines: LineCounter): string {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
}
