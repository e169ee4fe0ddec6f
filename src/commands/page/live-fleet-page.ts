// The first page of `rolealerts ui`: the fleet, with search and pages of policies.
import { formatTimestamp } from '../../lib/timestamp.ts';
import { type FindingKind, type Fleet, type FleetInput, fleetOf } from '../report/fleet.ts';
import { openIncidents } from '../report/incident-counts.ts';
import { dismissalsSection, driftSection, incidentsSection } from './chart-sections.ts';
import { findingsSection, type LinkTo, pageSection, policiesTable, totalsSection } from './fleet-sections.ts';
import { markup, type Markup } from './markup.ts';
import { liveDocument } from './page-document.ts';
import { matchingRows, pageAddress, type PageQuery, readyChoices } from './page-query.ts';
import { timeText } from './time-text.ts';

/** One state of the fleet, with everything on the page that does not depend on the query. */
export interface FleetSnapshot {
  /** Milliseconds since 1970. */
  readonly madeAtMs: number;
  readonly fleet: Fleet;
  readonly summary: Markup;
  readonly charts: Markup;
}

/** Rows of a page of policies. */
const pageRows = 200;
/** Findings of one kind beyond this number are counted. */
const shownFindings = 10;

/** `nowMs`: milliseconds since 1970; that of the input is the time of the last change. */
export function fleetSnapshot(input: FleetInput, nowMs: number): FleetSnapshot {
  const fleet = fleetOf({ ...input, nowMs });
  const time = pageSection(
    'state',
    'State',
    markup`<p class="quiet">Changed at ${timeText(formatTimestamp(input.nowMs), nowMs)}. Updates by itself.</p>`,
  );
  const summary = markup`${time}${totalsSection(fleet, openIncidents(input.policies))}${findingsSection({ fleet, notes: input.notes ?? [], linkTo: policyLink, allOf: searchOf, most: shownFindings })}`;
  const charts = markup`${incidentsSection(input.policies)}${dismissalsSection({ ...input, nowMs })}${driftSection(input.policies)}`;
  return { madeAtMs: nowMs, fleet, summary, charts };
}

export function liveFleetPage(
  { fleet, summary, charts }: FleetSnapshot,
  query: PageQuery,
  { title, failure }: LivePageHead,
): string {
  const urgent = fleet.findings.filter(({ kind }) => kind !== 'Waiting').length;
  const content = markup`${contents}
${summary}${searchForm(query)}
${policiesSection(fleet, query)}${charts}`;
  return livePage({ title, failure, urgent }, content);
}

const sections = [
  ['attention', 'What needs attention'],
  ['policies', 'Policies'],
  ['incidents', 'Open incidents'],
  ['dismissals', 'Dismissals'],
  ['drift', 'Drift'],
] as const;

const contents = markup`<nav aria-label="Contents"><ul>${sections.map(([id, name]) => markup`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>`;

export interface LivePageHead {
  readonly title: string;
  /** Why the page may be out of date, as a sentence. */
  readonly failure: string | undefined;
  /** How many findings the title of the tab announces. Default: none. */
  readonly urgent?: number;
}

/** A whole page. The script replaces the notice and the sections of `content`. */
export function livePage({ title, failure, urgent = 0 }: LivePageHead, content: Markup): string {
  const body = markup`<a class="skip" href="#main">Skip to the content</a>
<header><h1>${title}</h1><nav aria-label="Pages"><ul><li><a href="/">Fleet</a></li><li><a href="/timeline">Timeline</a></li></ul></nav>
<p id="notice" role="status">${failure}</p></header>
<main id="main">
${content}</main>`;
  return liveDocument({ title: urgent > 0 ? `(${urgent}) ${title}` : title, body });
}

/** The address of the page of a policy, from its name as findings have it. Undefined for several, `policy a/b and 2 more`. */
export const policyLink: LinkTo = (object) => {
  const [, name] = /^policy ([^ /]+\/[^ /]+)$/.exec(object) ?? [];
  return name === undefined ? undefined : `/policies/${name}`;
};

/** The search for the policies with findings of a kind. */
function searchOf(kind: FindingKind): string | undefined {
  const everything: PageQuery = { search: '', ready: undefined, hasIncidents: false, page: 1 };
  if (kind === 'Stalled' || kind === 'NotReady') return pageAddress({ ...everything, ready: 'False' });
  if (kind === 'Waiting') return pageAddress({ ...everything, ready: 'Unknown' });
  return kind === 'Firing' ? pageAddress({ ...everything, hasIncidents: true }) : undefined;
}

function searchForm({ search, ready, hasIncidents }: PageQuery): Markup {
  const options = readyChoices.map(
    (choice) => markup`<option${choice === ready ? markup` selected` : undefined}>${choice}</option>`,
  );
  return markup`<search><form method="get" action="/">
<label>Search policies <input type="search" name="q" value="${search}" maxlength="256" autocomplete="off" spellcheck="false"></label>
<label>Ready <select name="ready"><option value="">any</option>${options}</select></label>
<label>Incidents <select name="incidents"><option value="">any</option><option value="open"${hasIncidents ? markup` selected` : undefined}>open</option></select></label>
<button>Search</button></form></search>`;
}

function policiesSection({ policies }: Fleet, query: PageQuery): Markup {
  const rows = matchingRows(policies, query);
  const last = Math.max(1, Math.ceil(rows.length / pageRows));
  const page = Math.min(query.page, last);
  const shown = rows.slice((page - 1) * pageRows, page * pageRows);
  const count = `${rows.length} of ${policies.length} policies match. Page ${page} of ${last}.`;
  const content = markup`<p class="quiet">${count}</p>
${pageLinks({ ...query, page }, last)}${shown.length === 0 ? showAll(policies.length) : policiesTable(shown, policyLink)}`;
  return pageSection('policies', 'Policies', content);
}

/** Without a match. Nothing when there is nothing to show. */
function showAll(policies: number): Markup | undefined {
  return policies === 0 ? undefined : markup`<p><a href="/">Show all policies</a></p>`;
}

function pageLinks(query: PageQuery, last: number): Markup | undefined {
  const { page } = query;
  const link = (name: string, to: number) =>
    to < 1 || to > last ? undefined : markup`<li><a href="${pageAddress({ ...query, page: to })}">${name}</a></li>`;
  if (last === 1) return undefined;
  return markup`<nav aria-label="Pages of policies"><ul>${link('Previous page', page - 1)}${link('Next page', page + 1)}</ul></nav>\n`;
}
