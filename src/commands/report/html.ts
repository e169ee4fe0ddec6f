// A report as HTML: a document that loads nothing from elsewhere, and the content security policy that holds it to that.
import { hash } from 'node:crypto';

import { chartMarkup } from './charts.ts';
import { markup, type Markup, verbatim } from './markup.ts';
import { type Cell, type Column, isSummary, type Report, type Row, type Section, shortRows } from './model.ts';
import { pageStyle } from './page-style.ts';

/** A page for a file: without a script, with its policy in the document. */
export function reportHtml(report: Report, at: string): string {
  const policy = `default-src 'none'; style-src ${styleHash}; img-src data:; base-uri 'none'; form-action 'none'`;
  return documentHtml({
    title: report.title,
    head: markup`<meta http-equiv="content-security-policy" content="${policy}">`,
    header: markup`<p class="quiet">As of ${at}.</p>${contentsOf(report)}`,
    main: sectionsMarkup(report),
  });
}

export const styleHash = hashOf(pageStyle);

/** For the content security policy. */
export function hashOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

export interface PageParts {
  readonly title: string;
  readonly head?: Markup;
  /** Below the heading. */
  readonly header: Markup;
  readonly main: Markup;
  readonly script?: string;
}

/** `icon`: without it, browsers request one, which the policy forbids. */
export function documentHtml({ title, head, header, main, script }: PageParts): string {
  return markup`${verbatim('<!doctype html>')}
<html lang="en"><head><meta charset="utf-8">${head}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${verbatim(pageStyle)}</style></head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><h1>${title}</h1>${header}</header>
<main id="main">
${main}</main>
${script === undefined ? undefined : markup`<script>${verbatim(script)}</script>\n`}</body></html>
`.text;
}

export function contentsOf({ sections }: Report): Markup {
  const items = sections.map(({ id, heading }) => markup`<li><a href="#${id}">${heading}</a></li>`);
  return markup`<nav aria-label="Contents"><ul>${items}</ul></nav>`;
}

/** The notes of the report, and its sections. `mostRows`: rows of a section beyond this number are counted. */
export function sectionsMarkup({ notes, sections }: Report, mostRows = Infinity): Markup {
  const left: Section = {
    id: 'left-out',
    heading: 'Not on this page',
    columns: [{ name: '' }],
    rows: notes.map((note) => ({ cells: [note] })),
    nothing: '',
    data: {},
  };
  return markup`${(notes.length === 0 ? sections : [left, ...sections]).map((section) => sectionMarkup(section, mostRows))}`;
}

/** Rows without a group beyond this number are folded. */
const openRows = 10;

function sectionMarkup(section: Section, mostRows: number): Markup {
  const { id, heading, columns, nothing, notes = [], charts = [] } = section;
  const open = new Set(shortRows(section, openRows).slice(0, mostRows));
  const folded = section.rows.filter((row) => !open.has(row)).slice(0, mostRows - open.size);
  const hidden = section.rows.length - open.size - folded.length;
  const remarks = [...(hidden > 0 ? [`${hidden} more are not shown.`] : []), ...notes];
  const head = columns.map(
    (column) => markup`<th scope="col" role="columnheader"${classOf(column)}>${column.name}</th>`,
  );
  const tableOf = (rows: Iterable<Row>) => markup`<table role="table" aria-labelledby="${id}-heading">
${isSummary(section) ? undefined : markup`<thead role="rowgroup"><tr role="row">${head}</tr></thead>\n`}<tbody role="rowgroup">${Array.from(rows, ({ cells }) => rowMarkup(cells, columns))}</tbody>
</table>
`;
  const more = markup`<details><summary id="${id}-more">${folded.length} more</summary>${tableOf(folded)}</details>\n`;
  return markup`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>
${charts.map(chartMarkup)}${open.size === 0 ? markup`<p>${nothing}</p>\n` : tableOf(open)}${folded.length === 0 ? undefined : more}${remarks.map((note) => markup`<p class="quiet">${note}</p>\n`)}</section>
`;
}

/** A phone stacks the cells of a row, each behind the name of its column; the roles keep the table one for a screen reader. */
function rowMarkup([first, ...others]: readonly Cell[], columns: readonly Column[]): Markup {
  const rest = others.map((cell, index) => {
    const column = columns[index + 1];
    return markup`<td role="cell" data-column="${column?.name}"${classOf(column)}>${cell}</td>`;
  });
  return markup`<tr role="row"><th scope="row" role="rowheader">${first}</th>${rest}</tr>\n`;
}

function classOf(column: Column | undefined): Markup | undefined {
  return column?.isNumber ? markup` class="number"` : undefined;
}
