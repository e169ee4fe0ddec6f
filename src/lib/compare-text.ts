// Compares texts: their order, and the known name that a misspelled one probably means.

/** The first of `known` with the fewest edits; undefined when more than a third of `name` would have to change. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Math.floor(name.length / 3) + 1;
  for (const each of known) {
    if (Math.abs(each.length - name.length) >= fewest) continue;
    const edits = editsBetween(name, each);
    if (edits < fewest) [best, fewest] = [each, edits];
  }
  return best;
}

/** The Levenshtein distance: insertions, deletions and replacements of one character. Keeps one row of the usual table. */
export function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Compares two texts by their UTF-16 code units, for `sort`: the order is the same in every locale. */
export function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
