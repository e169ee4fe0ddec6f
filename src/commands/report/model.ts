// A report: sections with a table each, of which every format shows the same. text.ts, markdown.ts and html.ts render it.
import type { Chart } from './charts.ts';

export interface Report {
  readonly title: string;
  /** What it leaves out, and why, as sentences. */
  readonly notes: readonly string[];
  readonly sections: readonly Section[];
}

export interface Section {
  /** Unique in the report. */
  readonly id: string;
  readonly heading: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What a reader sees instead of a table without rows; a sentence. */
  readonly nothing: string;
  /** Rows of one group beyond this number are counted, except in a wide report. */
  readonly mostOfGroup?: number;
  /** Sentences below the table. */
  readonly notes?: readonly string[];
  readonly charts?: readonly Chart[];
  /** The same for programs, by member. A contract: within a version members may be added, never renamed or removed. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Column {
  /** In lower case. A section whose columns have no names is a summary: it has no head, and is not searched. */
  readonly name: string;
  readonly isNumber?: boolean;
  /** Only in a wide report and on a page. */
  readonly isWide?: boolean;
}

export interface Row {
  /** As many as there are columns; the first one names the row. */
  readonly cells: readonly Cell[];
  /** Absent: the row is always shown. */
  readonly group?: string;
}

export type Cell = string | number;

/** Without the rows beyond the limit of their group, which a report that is not wide leaves out, and a page folds. `mostOfOthers`: of the rows without a group. */
export function shortRows({ rows, mostOfGroup = Infinity }: Section, mostOfOthers = Infinity): readonly Row[] {
  const counts = new Map<Row['group'], number>();
  return rows.filter(({ group }) => {
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    return count <= (group === undefined ? mostOfOthers : mostOfGroup);
  });
}

/** What text and Markdown show: the head, the rows, and how many rows are not shown. */
export function shownTable(section: Section, isWide: boolean) {
  const { columns, rows } = section;
  const shown = isWide ? rows : shortRows(section);
  const isShown = (_: unknown, index: number) => isWide || columns[index]?.isWide !== true;
  return {
    head: columns.filter(isShown).map(({ name }) => name),
    rows: shown.map(({ cells }) => cells.filter(isShown).map(String)),
    hidden: rows.length - shown.length,
  };
}

export function isSummary({ columns }: Section): boolean {
  return columns.every(({ name }) => name === '');
}

/** Only the rows that have every word, in any cell and case. A summary stays whole. */
export function searchReport(report: Report, text: string): Report {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return report;
  const isFound = ({ cells }: Row) => {
    const content = cells.join(' ').toLowerCase();
    return words.every((word) => content.includes(word));
  };
  const sections = report.sections.map((section) => {
    const { rows } = section;
    if (isSummary(section) || rows.length === 0) return section;
    return { ...section, rows: rows.filter(isFound), nothing: 'No row matches.' };
  });
  return { ...report, sections };
}
