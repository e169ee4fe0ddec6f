// The form of the bench's results.

export interface Findings {
  /** A table, ready to print. */
  readonly text: string;
  /** A sentence for each wrong count. */
  readonly wrong: readonly string[];
}

/** A sentence for a wrong count. */
export function wrongCount(name: string, count: number, wanted: number): readonly string[] {
  return count === wanted ? [] : [`${name} is ${count}, not ${wanted}`];
}

/** `cells`: the rows of a table, its header first. The first column is on the left, the others on the right. */
export function renderTable(title: string, cells: readonly (readonly string[])[]): string {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
  return [`\n${title}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
