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
  readonly title: string;
  readonly rows: readonly Row[];
}

export function countRow(name: string, count: number, wanted: number): Row {
  return { name, value: String(count), goal: String(wanted), isWrong: count !== wanted };
}

export function limitRow(name: string, count: number, most: number): Row {
  return { name, value: String(count), goal: `≤ ${most}`, isWrong: count > most };
}

export function renderRows(title: string, rows: readonly Row[], subject = 'operator'): string {
  const cells = [
    ['', subject, 'baseline', 'ratio', 'goal'],
    ...rows.map(({ name, value, baseline = '', ratio, goal = '' }) => [
      name,
      value,
      baseline,
      ratio?.toFixed(2) ?? '',
      goal,
    ]),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column]!, column))
      .join('  ')
      .trimEnd(),
  );
  return [`\n${title}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
