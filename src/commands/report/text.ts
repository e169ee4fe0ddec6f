// A report as text for a terminal or a pipe, and as data for programs; what a command prints in the format that `--output` names.
import { stringify } from 'yaml';

import { cleanMessage } from '../../lib/clean-text.ts';
import { indentedJson } from '../../lib/json-shape.ts';
import { alignColumns, alignSentences, cutLine, wrapText } from '../../lib/terminal-text.ts';
import { isSummary, type Report, type Section, shownTable } from './model.ts';

export interface TextOptions {
  /** The width of a terminal, in which the sentence at the end of a row continues on further lines; 0 for a pipe, whose lines have any length. */
  readonly columns: number;
  /** With every row and column; a terminal then cuts its lines. */
  readonly isWide: boolean;
}

/** Without the notes of the whole report, which standard error has. */
export function reportText({ sections }: Report, options: TextOptions): string {
  const parts = sections.map((section) => {
    const heading = sections.length === 1 ? [] : [section.heading];
    const notes = (section.notes ?? []).map((note) => wrapped(cleanMessage(note), options.columns));
    const remarks = notes.length === 0 ? [] : ['', ...notes.flat()];
    return `${[...heading, ...tableLines(section, options), ...remarks].join('\n')}\n`;
  });
  return parts.join('\n');
}

function tableLines(section: Section, { columns, isWide }: TextOptions): readonly string[] {
  const { head, rows, hidden } = shownTable(section, isWide);
  if (rows.length === 0) return wrapped(section.nothing, columns);
  const texts = rows.map((row) => row.map(cleanMessage));
  const table = isSummary(section) ? texts : [head.map((name) => name.toUpperCase()), ...texts];
  const lines = columns > 0 && !isWide ? alignSentences(table, columns) : alignColumns(table);
  const more = hidden > 0 ? [`… and ${hidden} more; --output wide lists them`] : [];
  return [...(columns === 0 ? lines : lines.map((line) => cutLine(line, columns))), ...more];
}

const wrapped = (text: string, columns: number) => (columns === 0 ? [text] : wrapText(text, columns));

/** An object for JSON and YAML. */
export function reportData({ notes, sections }: Report): object {
  const members = Object.assign({}, ...sections.map(({ data }) => data)) as object;
  const all = [...notes, ...sections.flatMap((section) => section.notes ?? [])];
  return { apiVersion: 'cli.rolealerts.dev/v1', kind: 'FleetStatus', ...members, notes: all };
}

/** `text`: for every other format. */
export function inFormat(format: string, data: () => object, text: () => string): string {
  if (format === 'json') return indentedJson(data());
  return format === 'yaml' ? stringify(data()) : text();
}
