// The sort order of texts: by UTF-16 code units, so that it is the same in every locale.

/** Compares two texts by their UTF-16 code units, for `sort`. */
export function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
