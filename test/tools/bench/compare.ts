// A table with a column for each subject of one run, and the ratio of the first subject to each other one.
import { median } from './statistics.ts';
import { renderTable } from './table.ts';

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
