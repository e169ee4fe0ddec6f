// A table that a keyboard can scroll and a screen reader can name.
import { markup, type Markup, type MarkupValue } from './markup.ts';

export interface DataTable {
  /** Unique on the page. */
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly Column[];
  /** As many cells as there are columns. The first one names the row. */
  readonly rows: readonly (readonly MarkupValue[])[];
  /** Rows that are not shown, and why, as a sentence. */
  readonly rest?: string | undefined;
}

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
}

export function dataTable({ id, caption, columns, rows, rest }: DataTable): Markup {
  const head = columns.map((column) => markup`<th scope="col"${classOf(column)}>${column.name}</th>`);
  return markup`<div class="scroll" role="region" aria-labelledby="${id}-caption" tabindex="0"><table>
<caption id="${id}-caption">${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>${rows.map((row) => tableRow(row, columns))}</tbody>
</table></div>
${rest === undefined ? undefined : markup`<p class="rest">${rest}</p>\n`}`;
}

function tableRow([first, ...others]: readonly MarkupValue[], [, ...columns]: readonly Column[]): Markup {
  const cells = others.map((cell, index) => markup`<td${classOf(columns[index])}>${cell}</td>`);
  return markup`<tr><th scope="row">${first}</th>${cells}</tr>\n`;
}

function classOf(column: Column | undefined): Markup | undefined {
  return column?.isNumber ? markup` class="number"` : undefined;
}
