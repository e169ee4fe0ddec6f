// Text for a terminal: in columns, in lines that fit, and as words of a command that works when it is pasted into a shell.

/** Separates columns as kubectl does. */
const kubectlGap = '   ';

/** Pads each cell to the width of its column. Lines have no blanks at their end. */
export function alignColumns(rows: readonly (readonly string[])[], gap = kubectlGap): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

/** The least room for a column of sentences, in characters; with less, each is below its row. */
const sentenceRoom = 32;

/**
 * As `alignColumns` for a terminal with this number of columns; the last cell of a row is a sentence, which continues on further lines
 * where it does not fit. The other cells are cut.
 */
export function alignSentences(rows: readonly (readonly string[])[], columns: number): readonly string[] {
  const sentences = rows.map((row) => row.at(-1) ?? '');
  const starts = alignColumns(rows.map((row) => [...row.slice(0, -1), '|'])).map((line) => line.slice(0, -1));
  const room = columns - (starts[0]?.length ?? 0);
  const longest = Math.max(...sentences.map(({ length }) => length));
  const isBeside = room >= Math.min(longest, sentenceRoom);
  return sentences.flatMap((sentence, index) => {
    const start = starts[index] ?? '';
    return isBeside ? besideLines(start, sentence, room) : belowLines(start, sentence, columns);
  });
}

function besideLines(start: string, sentence: string, room: number): readonly string[] {
  const [first = '', ...more] = wrapText(sentence, room);
  return [`${start}${first}`.trimEnd(), ...more.map((line) => `${' '.repeat(start.length)}${line}`)];
}

function belowLines(start: string, sentence: string, columns: number): readonly string[] {
  return [cutLine(start.trimEnd(), columns), ...wrapText(`    ${sentence}`, columns, '    ')];
}

/** At most `columns` characters; an ellipsis replaces what is cut. */
export function cutLine(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, Math.max(columns - 1, 0))}…`;
}

/** Breaks text into lines: at spaces, or within a word that is too long for a line. Lines after the first begin with `indent`. */
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

/** Quotes a word of a command for a POSIX shell, unless it needs no quotes. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
