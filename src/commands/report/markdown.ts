// Markdown for a comment or an issue of a code host, in which no text of an object is markup.
import { cleanText } from '../../lib/clean-text.ts';
import { type Report, shownTable } from './model.ts';

export function reportMarkdown({ title, notes, sections }: Report): string {
  const parts = sections.flatMap((section) => {
    const { head, rows, hidden } = shownTable(section, false);
    const more = hidden > 0 ? [`${hidden} more are not shown.`] : [];
    const remarks = [...more, ...(section.notes ?? [])].map(plainMarkdown);
    const content = rows.length === 0 ? section.nothing : markdownTable(head, rows);
    return [`## ${section.heading}`, content, ...remarks];
  });
  return `${[`# ${plainMarkdown(title)}`, ...notes.map(plainMarkdown), ...parts].join('\n\n')}\n`;
}

/** Of texts without markup. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(plainMarkdown)))].join('\n');
}

/** The longest text of a cell, in UTF-16 units. */
const textLength = 4096;

/** Text as it is, on one line: nothing in it is markup, a mention or a link. `www.` begins a link as well, and `GH-1` is an issue. */
export function plainMarkdown(text: string): string {
  const escaped = cleanText(text, textLength).replaceAll(/[\\`*_{}[\]<>()#+!|~$^%]/g, (mark) => `\\${mark}`);
  return escaped
    .replaceAll('@', '@\u200b')
    .replaceAll('&', '&amp;')
    .replaceAll('://', ':\u200b//')
    .replaceAll(/www(?=\.)|GH(?=-\d)/gi, '$&\u200b');
}
