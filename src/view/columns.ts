// Text in columns, as kubectl prints it.

const gap = '   ';

/** Pads each cell to the width of its column; the last column is not padded. `maxWidth` 0: lines are not cut. */
export function alignColumns(rows: readonly (readonly string[])[], maxWidth = 0): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)));
    return cutLine(cells.join(gap).trimEnd(), maxWidth);
  });
}

export function cutLine(line: string, maxWidth: number): string {
  return maxWidth === 0 || line.length <= maxWidth ? line : `${line.slice(0, Math.max(0, maxWidth - 1))}…`;
}
