// The form of the bench's results: a table with a column for each subject of one run, and the ratio of the first to each other one.

export interface Measure<Result> {
  readonly name: string;
  readonly unit: string;
  readonly digits: number;
  /** Undefined if the subject has no such figure. */
  readonly of: (result: Result) => number | undefined;
  readonly goal?: string;
}

export interface Subject<Result> {
  readonly name: string;
  /** One for each round; a cell shows their median. */
  readonly results: readonly Result[];
}

export function renderComparison<Result>(
  title: string,
  subjects: readonly Subject<Result>[],
  measures: readonly Measure<Result>[],
): string {
  const [, ...others] = subjects;
  const header = ['', ...subjects.map(({ name }) => name), ...others.map(({ name }) => `/ ${name}`), 'goal'];
  const rows = measures.map((measure) => {
    const [first, ...rest] = subjects.map(({ results }) => medianOf(results, measure));
    const text = (value: number | undefined) =>
      value === undefined ? '' : `${value.toFixed(measure.digits)} ${measure.unit}`.trimEnd();
    const ratio = (other: number | undefined) =>
      first === undefined || other === undefined || other === 0 ? '' : (first / other).toFixed(2);
    return [measure.name, ...[first, ...rest].map(text), ...rest.map(ratio), measure.goal ?? ''];
  });
  return renderTable(title, [header, ...rows]);
}

function medianOf<Result>(results: readonly Result[], { of }: Measure<Result>): number | undefined {
  const values = results.map(of).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

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

/** The lower one of the two in the middle. NaN without values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN;
}
