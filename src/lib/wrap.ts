// Breaks text into lines that fit a terminal.

/** Breaks at spaces, or within a word that is too long for a line. Lines after the first begin with `indent`. */
export function wrapText(text: string, columns: number, indent = ''): readonly string[] {
  // Every line takes at least one character, also on a terminal that has no room for it.
  const width = Math.max(columns, indent.length + 1);
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > indent.length ? space : width;
    lines.push(rest.slice(0, end).trimEnd());
    rest = indent + rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
