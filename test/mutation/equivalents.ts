// Edits that change nothing anybody could notice, one by one, with the reason. At most three in a hundred of a folder, and each must
// still be there: `npm run mutate` fails otherwise.
import type { EditKind } from './edits/edit.ts';

export interface Equivalent {
  readonly file: string;
  readonly kind: EditKind;
  /** The text of the site, as the report prints it. Where it occurs several times, all of them are meant. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [];
