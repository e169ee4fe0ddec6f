// A report: sections with a table each, of which every format shows the same. text.ts, markdown.ts and html.ts render it.
import { byText } from '../../lib/compare-text.ts';
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
  /** The page of `ui` filters by its values. */
  readonly isFilter?: boolean;
}

export interface Row {
  /** As many as there are columns; the first one names the row. */
  readonly cells: readonly Cell[];
  /** Absent: the row is always shown. */
  readonly group?: string;
}

/** `policy`: `NAMESPACE/NAME` of the policy that the text names. */
export type Cell = string | number | { readonly text: string; readonly policy: string };

/** The policy that the cell names; undefined without one. */
export function policyIn(cell: Cell): string | undefined {
  return typeof cell === 'string' || typeof cell === 'number' ? undefined : cell.policy;
}

export function cellText(cell: Cell): string {
  return typeof cell === 'string' || typeof cell === 'number' ? String(cell) : cell.text;
}

/** An object as a finding names it, with the display name of its scope. */
export function objectCell(object: string, displayName?: string): Cell {
  const [, policy] = /^policy ([^ /]+\/[^ /]+)$/.exec(object) ?? [];
  const text = displayName === undefined ? object : `${object} (${displayName})`;
  return policy === undefined ? text : { text, policy };
}

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
    rows: shown.map(({ cells }) => cells.filter(isShown).map(cellText)),
    hidden: rows.length - shown.length,
  };
}

export function isSummary({ columns }: Section): boolean {
  return columns.every(({ name }) => name === '');
}

/** The values of each column that is a filter, by the name of the column; none while no section has a row. */
export function filtersOf({ sections }: Report): ReadonlyMap<string, ReadonlySet<string>> {
  const columns = sections.flatMap(({ columns: all, rows }) =>
    all.flatMap(({ name, isFilter }, index) =>
      isFilter ? [{ name, values: rows.map(({ cells }) => cellText(cells[index] ?? '')) }] : [],
    ),
  );
  const groups = Map.groupBy(columns, ({ name }) => name);
  return new Map([...groups].map(([name, same]) => [name, new Set(same.flatMap(({ values }) => values).sort(byText))]));
}

/**
 * Only the rows that have every word, in any cell and case, and in each column of `chosen` its value. A section with
 * none of these columns is left out.
 */
export function searchReport(report: Report, text: string, chosen: ReadonlyMap<string, string> = new Map()): Report {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0 && chosen.size === 0) return report;
  const sections = report.sections.flatMap((section): readonly Section[] => {
    const { columns, rows } = section;
    if (isSummary(section)) return [section];
    const filters = columns.flatMap(({ name, isFilter }, index) => {
      const value = isFilter ? chosen.get(name) : undefined;
      return value === undefined ? [] : [{ index, value }];
    });
    if (chosen.size > 0 && filters.length === 0) return [];
    if (rows.length === 0) return [section];
    const isFound = ({ cells }: Row) => {
      const content = cells.map(cellText).join(' ').toLowerCase();
      return (
        words.every((word) => content.includes(word)) &&
        filters.every(({ index, value }) => cellText(cells[index] ?? '') === value)
      );
    };
    return [Object.assign({}, section, { rows: rows.filter(isFound), nothing: 'No row matches.' })];
  });
  return { ...report, sections };
}
