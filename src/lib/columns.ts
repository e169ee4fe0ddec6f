// Text in columns.

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

/** At most `columns` characters; an ellipsis replaces what is cut. */
export function cutLine(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, Math.max(columns - 1, 0))}…`;
}
