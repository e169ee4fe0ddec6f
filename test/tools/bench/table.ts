// The form of the bench's results.

export interface Row {
  readonly name: string;
  readonly value: string;
  readonly goal?: string;
  /** Set on counts only: no time makes the bench fail. */
  readonly isWrong?: boolean;
}

export interface Findings {
  /** A table, ready to print. */
  readonly text: string;
  /** A sentence for each wrong count. */
  readonly wrong: readonly string[];
}

export function countRow(name: string, count: number, wanted: number): Row {
  return { name, value: String(count), goal: String(wanted), isWrong: count !== wanted };
}

export function limitRow(name: string, count: number, most: number): Row {
  return { name, value: String(count), goal: `≤ ${most}`, isWrong: count > most };
}

export function wrongRows(rows: readonly Row[]): string[] {
  return rows
    .filter(({ isWrong }) => isWrong === true)
    .map(({ name, value, goal }) => `${name} is ${value}, not ${goal}`);
}

export function renderRows(title: string, rows: readonly Row[]): string {
  const cells = rows.map(({ name, value, goal = '' }) => [name, value, goal]);
  return renderTable(title, [['', 'operator', 'goal'], ...cells]);
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
