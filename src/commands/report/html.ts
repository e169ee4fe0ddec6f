// A report as HTML: a document that loads nothing from elsewhere, and the content security policy that holds it to that.
import { hash } from 'node:crypto';

import { chartMarkup } from './charts.ts';
import { markup, type Markup, verbatim } from './markup.ts';
import {
  type Cell,
  type Column,
  isSummary,
  policyIn,
  type Report,
  type Section,
  shortRows,
  cellText,
} from './model.ts';
import { pageStyle } from './page-style.ts';

/** A page for a file: without a script, with its policy in the document. */
export function reportHtml(report: Report, at: string): string {
  const policy = `default-src 'none'; style-src ${styleHash}; img-src data:; base-uri 'none'; form-action 'none'`;
  return documentHtml({
    title: report.title,
    head: markup`<meta http-equiv="content-security-policy" content="${policy}">`,
    header: markup`<p class="quiet">As of ${at}.</p>${contentsOf(report)}`,
    main: sectionsMarkup(report, {}),
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

export interface PageLimits {
  /** The address of the page of a policy. Absent where policies have none. */
  readonly linkTo?: (policy: string) => string;
  /** Rows of a section beyond this number are counted. */
  readonly mostRows?: number;
}

/** The notes of the report, and its sections. */
export function sectionsMarkup({ notes, sections }: Report, limits: PageLimits): Markup {
  const left: Section = {
    id: 'left-out',
    heading: 'Not on this page',
    columns: [{ name: '' }],
    rows: notes.map((note) => ({ cells: [note] })),
    nothing: '',
    data: {},
  };
  return markup`${(notes.length === 0 ? sections : [left, ...sections]).map((section) => sectionMarkup(section, limits))}`;
}

function sectionMarkup(section: Section, { linkTo, mostRows = Infinity }: PageLimits): Markup {
  const { id, heading, columns, nothing, notes = [], charts = [] } = section;
  const rows = shortRows(section).slice(0, mostRows);
  const hidden = section.rows.length - rows.length;
  const remarks = [...(hidden > 0 ? [`${hidden} more are not shown.`] : []), ...notes];
  const head = columns.map((column) => markup`<th scope="col"${classOf(column)}>${column.name}</th>`);
  const table = markup`<div class="scroll" role="group" aria-labelledby="${id}-heading" tabindex="0"><table>
${isSummary(section) ? undefined : markup`<thead><tr>${head}</tr></thead>\n`}<tbody>${rows.map(({ cells }) => rowMarkup(cells, columns, linkTo))}</tbody>
</table></div>
`;
  return markup`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>
${charts.map(chartMarkup)}${rows.length === 0 ? markup`<p>${nothing}</p>\n` : table}${remarks.map((note) => markup`<p class="quiet">${note}</p>\n`)}</section>
`;
}

function rowMarkup(cells: readonly Cell[], columns: readonly Column[], linkTo: PageLimits['linkTo']): Markup {
  const [first, ...others] = cells.map((cell) => {
    const policy = policyIn(cell);
    return policy !== undefined && linkTo ? markup`<a href="${linkTo(policy)}">${cellText(cell)}</a>` : cellText(cell);
  });
  const rest = others.map((cell, index) => markup`<td${classOf(columns[index + 1])}>${cell}</td>`);
  return markup`<tr><th scope="row">${first}</th>${rest}</tr>\n`;
}

function classOf(column: Column | undefined): Markup | undefined {
  return column?.isNumber ? markup` class="number"` : undefined;
}
