// Breaks text into lines that fit a terminal.

/** Breaks at spaces, or within a word that is too long for a line. Lines after the first begin with `indent`. */
export function wrapText(text: string, columns: number, indent = ''): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns);
    const end = space > indent.length ? space : columns;
    lines.push(rest.slice(0, end).trimEnd());
    rest = indent + rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
