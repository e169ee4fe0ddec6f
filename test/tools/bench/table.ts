// The form of the bench's results.

export interface Row {
  readonly name: string;
  readonly value: string;
  readonly baseline?: string;
  /** Value divided by the baseline's. */
  readonly ratio?: number;
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

/** Rows of one subject, next to a baseline where they have one. */
export function renderRows(title: string, rows: readonly Row[], subject = 'operator'): string {
  const cells = rows.map(({ name, value, baseline = '', ratio, goal = '' }) => [
    name,
    value,
    baseline,
    ratio?.toFixed(2) ?? '',
    goal,
  ]);
  const hasBaseline = rows.some(({ baseline }) => baseline !== undefined);
  const all = [['', subject, 'baseline', 'ratio', 'goal'], ...cells];
  return renderTable(
    title,
    hasBaseline ? all : all.map(([name = '', value = '', , , goal = '']) => [name, value, goal]),
  );
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
